# frozen_string_literal: true

require "minitest/autorun"
require "sitewire/testing"

module Helper
  SECRET = "a secret"
  EXAMPLE = Sitewire::Testing::EXAMPLE

  # Headers of a request to a data source, with a signature that nobody made.
  SOURCE = { "webhook-id" => "7_1", "webhook-timestamp" => "1772366400", "webhook-signature" => "v1,x" }.freeze

  def sign(...)
    Sitewire::Testing.sign_delivery(...)
  end

  # Returns the fault of a delivery that must not be processed.
  def fault(body, headers, secret = SECRET)
    assert_raises(Sitewire::WebhookError) { Sitewire.construct_event(body, headers, [secret]) }.fault
  end

  def fault_of_source(headers, **options)
    request = ["GET", "https://api.partner.example/items", headers, [SECRET]]
    assert_raises(Sitewire::WebhookError) { Sitewire.verify_source_request(*request, now: 1_772_366_400, **options) }.fault
  end
end
