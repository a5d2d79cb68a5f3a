# frozen_string_literal: true

module Sitewire
  # A site that was bought through your sales channel is paid and ready. All fields are texts:
  #
  # event::       always "site.ready".
  # channel::     your sales channel.
  # reference::   the +data-ref+ that you passed to the purchase frame: use it to find your own user.
  # site_url::    the URL of the new site. It is the key for processing an event once.
  # console_url:: the URL of the site's management console.
  # name::        the name of the site.
  # email::       the contact e-mail address of the site's owner. Personal data, so +inspect+ does not show it.
  # created_at::  the creation time in UTC, such as "2026-03-01T12:00:00+00:00".
  #
  # Further, +delivery+ is the id of the delivery that the event came in, or "" if the header is missing. Of two deliveries
  # of a site, the one with the greater id, as text, has the newer content.
  SiteReady = Struct.new(
    :event, :channel, :reference, :site_url, :console_url, :name, :email, :created_at, keyword_init: true
  ) do
    attr_reader :delivery

    def initialize(delivery: "", **fields)
      super(**fields)
      @delivery = delivery
      freeze
    end

    def inspect
      "#<#{self.class} #{to_h.except(:email)}>"
    end
    alias_method :to_s, :inspect
  end
end
