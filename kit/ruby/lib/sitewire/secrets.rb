# frozen_string_literal: true

module Sitewire
  # Which signing secrets can be used.
  module Secrets # :nodoc:
    # Returns the key of each secret, which is the secret: HMAC takes its bytes, whatever its encoding is named. Raises
    # ArgumentError if there is no secret, or one is empty or not a text.
    def self.keys(secrets)
      unless secrets.is_a?(Array)
        raise ArgumentError, "The secrets are no array of texts. Pass [secret], or [old, new] during a rotation."
      end
      if secrets.empty?
        raise ArgumentError, "There is no signing secret, so no request could be verified. Set your channel's secret."
      end

      secrets.map { |secret| key(secret) }
    end

    def self.key(secret)
      unless secret.is_a?(String)
        raise ArgumentError, "A signing secret is not a text. Pass it as the operator gave it to you."
      end
      return secret unless secret.empty?

      raise ArgumentError, "A signing secret is empty, so anybody could sign. Set your channel's secret."
    end
    private_class_method :key
  end
end
