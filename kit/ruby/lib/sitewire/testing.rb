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

    # Returns the body and a Hash of the headers of a first attempt, without those of Standard Webhooks.
    #
    # event::     a SiteReady, or the String of a body, which can be anything.
    # secret::    the channel's signing secret.
    # id::        the id of the delivery. Default: that of the event, or a new one, which is greater than those before.
    #
    # Raises ArgumentError if the secret is empty or not a text.
    def self.sign_delivery(event, secret, id: nil)
      key, = Secrets.keys([secret])
      id ||= event.is_a?(String) || event.delivery.empty? ? new_id : event.delivery
      body = event.is_a?(String) ? event.b : JSON.generate(event.to_h).b
      headers = {
        "Content-Type" => "application/json",
        "X-Sitewire-Signature" => "sha256=#{OpenSSL::HMAC.hexdigest("SHA256", key, body)}",
        "X-Sitewire-Delivery" => id,
        "X-Sitewire-Attempt" => "1"
      }
      [body, headers]
    end

    # Returns a UUID of version 7 that is greater than those of microseconds ago.
    def self.new_id
      milliseconds, nanoseconds = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond).divmod(1_000_000)
      time = format("%012x7%03x", milliseconds, nanoseconds * 4096 / 1_000_000)
      "#{time[0, 8]}-#{time[8, 4]}-#{time[12, 4]}-#{SecureRandom.uuid[19..]}"
    end
    private_class_method :new_id
  end
end
