# frozen_string_literal: true

require "json"

module Sitewire
  # Reads the event of a verified body.
  module EventBody # :nodoc:
    # JSON.parse also accepts comments and unknown escapes, which are not JSON. So texts are checked here, and a slash
    # can only be within one. Nothing is tried twice, so the time is in proportion to the length.
    STRICT_TEXTS = %r{\A(?>[^"/]+|"(?>[^"\\\x00-\x1f]+|\\(?:["\\/bfnrt]|u\h{4}))*+")*+\z}

    # Returns the SiteReady. Unknown fields are ignored. Raises WebhookError with the fault "invalid-body" if the body
    # is not JSON in UTF-8, or no site.ready.
    def self.parse(body, delivery)
      fields = parse_json(body.dup.force_encoding(Encoding::UTF_8))
      raise invalid("its field event is not site.ready") unless fields.is_a?(Hash) && fields["event"] == "site.ready"

      event = SiteReady.members.to_h { |name| [name, fields[name.to_s]] }
      wrong = event.keys.find { |name| !event[name].is_a?(String) }
      raise invalid("its field #{wrong} is missing or not a text") if wrong

      SiteReady.new(**event, delivery: delivery)
    end

    def self.parse_json(text)
      return JSON.parse(text) if text.valid_encoding? && STRICT_TEXTS.match?(text)

      raise invalid("it is not JSON in UTF-8")
    rescue JSON::ParserError
      # Without its cause, whose message repeats the body.
      raise invalid("it is not JSON in UTF-8"), cause: nil
    end

    def self.invalid(why)
      WebhookError.new(
        "invalid-body",
        "The signature is valid, but the body is no site.ready event: #{why}. Respond 400. " \
        "If the operator sends new events, look for a newer version of this library."
      )
    end
    private_class_method :parse_json, :invalid
  end
end
