# frozen_string_literal: true

require "json"
require "securerandom"
require_relative "../sitewire"

module Sitewire
  # Makes genuine deliveries, for the tests of your own receiver.
  module Testing
    # An event for tests. Change fields with <tt>SiteReady.new(**EXAMPLE.to_h, name: "Konditorei")</tt>.
    EXAMPLE = SiteReady.new(
      event: "site.ready",
      channel: "acme",
      reference: "user-4711",
      site_url: "https://bakery.example/",
      console_url: "https://console.bakery.example/",
      name: "Bäckerei",
      email: "owner@bakery.example",
      created_at: "2026-03-01T12:00:00+00:00"
    )

    # Returns the body and a Hash of all headers of a first attempt, signed in both schemes.
    #
    # event::     a SiteReady, or the String of a body, which can be anything.
    # secret::    the channel's signing secret.
    # id::        the id of the delivery. Default: a new one.
    # timestamp:: the time of the attempt in whole Unix seconds. Default: now.
    #
    # Raises ArgumentError if the secret is empty or not a text.
    def self.sign_delivery(event, secret, id: SecureRandom.uuid, timestamp: Time.now.to_i)
      key, = Secrets.keys([secret])
      body = event.is_a?(String) ? event.b : JSON.generate(event.to_h).b
      standard = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b << body)
      headers = {
        "Content-Type" => "application/json",
        "X-Sitewire-Signature" => "sha256=#{OpenSSL::HMAC.hexdigest("SHA256", key, body)}",
        "X-Sitewire-Delivery" => id,
        "X-Sitewire-Attempt" => "1",
        "webhook-id" => id,
        "webhook-timestamp" => timestamp.to_s,
        "webhook-signature" => "v1,#{[standard].pack("m0")}"
      }
      [body, headers]
    end
  end
end
