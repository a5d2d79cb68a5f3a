# frozen_string_literal: true

require "openssl"
require_relative "event_body"
require_relative "headers"
require_relative "secrets"

# Verifies +site.ready+ deliveries, and requests of the service to a data source.
module Sitewire
  class << self
    # Verifies a delivery and returns its SiteReady.
    #
    # raw_body:: the String of the body as it arrived, before any parser.
    # headers::  a Hash with names in any case, a Rack environment, or +request.headers+ of Rails.
    # secrets::  an Array of your channel's signing secrets. During a rotation, the old and the new one.
    # header::   the name of the header, if the operator runs the service under another name.
    #
    # Raises WebhookError if the request must not be processed: its +fault+ says why, its +status+ what to respond.
    # Raises ArgumentError for a fault of the receiver: the body is no String, or an argument or a secret is unusable.
    def construct_event(raw_body, headers, secrets, header: "X-Sitewire-Signature")
      keys = Secrets.keys(secrets)
      unless raw_body.is_a?(String)
        raise ArgumentError, "The body was parsed, but a signature covers the raw bytes. Take request.raw_post in " \
                             'Rails, env["rack.input"].read in Rack, before anything else reads the body.'
      end

      body = raw_body.b
      verify_sitewire(body, headers, keys, header)
      EventBody.parse(body, Headers.read_beside(headers, header, "Delivery").last)
    end

    # Verifies a request of the service to your data source. Returns +nil+ if the request is genuine.
    #
    # method::  the method of the request.
    # url::     the connection's source, exactly as the service shows it. Take it from your configuration: behind a
    #           proxy, your server may see another scheme or host.
    # headers:: as of construct_event.
    # secrets:: an Array of the connection's signing secrets. During a replacement, the old and the new one.
    # tolerance_seconds:: how far the signed time may be from +now+, in both directions.
    # now::     Unix time in seconds. Default: this machine's clock.
    #
    # Raises WebhookError with the fault "missing", "malformed", "outdated" or "mismatch": respond 401.
    # Raises ArgumentError for a fault of the receiver: a secret is unusable.
    def verify_source_request(method, url, headers, secrets, tolerance_seconds: 300, now: nil)
      verify_standard_webhooks(%("#{method} #{url}").b, headers, Secrets.keys(secrets), tolerance_seconds, now)
    end

    private

    def verify_sitewire(body, headers, keys, header)
      signature, = Headers.read(headers, [header])
      unless signature.match?(/\Asha256=[0-9a-f]{64}\z/)
        raise Headers.malformed("The header #{header} is not sha256= and 64 lowercase hexadecimal digits")
      end

      require_match([signature], keys.map { |key| "sha256=#{OpenSSL::HMAC.hexdigest("SHA256", key, body)}" })
    end

    def verify_standard_webhooks(body, headers, keys, tolerance, now)
      id, timestamp, signature = Headers.read(headers, %w[webhook-id webhook-timestamp webhook-signature])
      # A full stop in the id would let the same bytes be divided in another way.
      raise Headers.malformed("The header webhook-id contains a full stop") if id.include?(".")
      unless timestamp.match?(/\A[0-9]{1,10}\z/)
        raise Headers.malformed("The header webhook-timestamp is not the whole seconds since 1970")
      end
      unless signature.match?(/\Av[0-9]+[a-z]?,\S+(?: v[0-9]+[a-z]?,\S+)*\z/)
        raise Headers.malformed("The header webhook-signature is not version,signature, separated by single spaces")
      end

      require_recent(Integer(timestamp, 10), tolerance, now || Time.now.to_f)
      signed = "#{id}.#{timestamp}.".b << body
      # m0 is base64 without line breaks.
      expected = keys.map { |key| "v1,#{[OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")}" }
      require_match(signature.split(" "), expected)
    end

    def require_recent(timestamp, tolerance, now)
      # Written so that a NaN is outdated.
      return if (now - timestamp).abs <= tolerance

      raise WebhookError.new(
        "outdated",
        "The signed time is further from this machine's clock than the tolerance, so a captured request may have " \
        "been sent again. Respond 401. If it happens to genuine deliveries, correct this machine's clock."
      )
    end

    # Counts instead of stopping at a match, so the time taken does not reveal which secret matched.
    def require_match(given, expected)
      matches = given.product(expected).count do |one, other|
        one.bytesize == other.bytesize && OpenSSL.fixed_length_secure_compare(one, other)
      end
      return if matches.positive?

      raise WebhookError.new(
        "mismatch",
        "No secret signed these bytes. Respond 401. If it happens to genuine deliveries, verify the raw bytes before " \
        "any parser, and compare the secret with the operator's. During a rotation, pass the old and the new one."
      )
    end
  end
end
