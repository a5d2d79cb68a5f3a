# frozen_string_literal: true

module Sitewire
  # Which signing secrets can be used.
  module Secrets # :nodoc:
    # Returns the key of each secret: its bytes, whatever its encoding is named, or what follows +whsec_+, decoded. Raises
    # ArgumentError if there is no secret, or one is empty, not a text or in a wrong form.
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
      raise ArgumentError, "A signing secret is empty, so anybody could sign. Set your channel's secret." if secret.empty?

      secret.start_with?("whsec_") ? decode(secret.b.delete_prefix("whsec_")) : secret
    end

    # The form that libraries of Standard Webhooks take. Compared, because unpack ignores what is not base64.
    def self.decode(text)
      decoded = text.unpack1("m")
      return decoded if !decoded.empty? && [decoded].pack("m0") == text

      raise ArgumentError, "A signing secret begins with whsec_, but the rest is not base64. Pass it exactly as it was " \
                           "shown, in either form."
    end
    private_class_method :key, :decode
  end
end
