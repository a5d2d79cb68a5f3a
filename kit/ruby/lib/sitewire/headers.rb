# frozen_string_literal: true

module Sitewire
  # Reads headers, whatever they come from: a Hash in any case, a Rack environment, or +request.headers+ of Rails.
  module Headers # :nodoc:
    # Returns the bytes of each named header. Raises WebhookError with the fault "missing" or "malformed".
    def self.read(headers, names)
      found = names.to_h { |name| [normalise(name), []] }
      headers.each { |name, value| found[normalise(name)]&.push(value) unless value.nil? }
      names.zip(found.values) { |name, values| raise missing(name) if [[], [""]].include?(values) }
      found.values.map do |values|
        next values.first.b if values.one? && values.first.is_a?(String)

        raise malformed("A header of the signature came more than once, or is not a text")
      end
    end

    # Returns the value of a header, or "" if it is not there once.
    def self.read_once(headers, name)
      read(headers, [name]).first.force_encoding(Encoding::UTF_8)
    rescue WebhookError
      ""
    end

    # Returns name and value of another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature.
    def self.read_beside(headers, signature, word)
      name = signature.sub(/-signature\z/i, "-#{word}")
      [name, name == signature ? "" : read_once(headers, name)]
    end

    def self.malformed(what)
      WebhookError.new(
        "malformed",
        "#{what}, so the service did not send it like this. Respond 401. " \
        "If it happens to genuine deliveries, look for a proxy or code that changes headers."
      )
    end

    def self.missing(name)
      WebhookError.new(
        "missing",
        "The header #{name} is missing or empty, so nothing proves who sent this request. Respond 401. " \
        "If genuine deliveries lack it, look for a proxy that removes it."
      )
    end

    # Rack names a header HTTP_WEBHOOK_ID. As bytes, because the name of a hostile header can be in no valid encoding.
    def self.normalise(name)
      name.to_s.b.downcase.tr("_", "-").delete_prefix("http-")
    end
    private_class_method :missing, :normalise
  end
end
