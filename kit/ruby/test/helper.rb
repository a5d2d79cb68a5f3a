# frozen_string_literal: true

require "minitest/autorun"
require "sitewire/testing"

module Helper
  SECRET = "a secret"
  EXAMPLE = Sitewire::Testing::EXAMPLE

  def sign(...)
    Sitewire::Testing.sign_delivery(...)
  end

  # Returns the fault of a request that must not be processed.
  def fault(body, headers, secret = SECRET, **options)
    assert_raises(Sitewire::WebhookError) { Sitewire.construct_event(body, headers, [secret], **options) }.fault
  end
end
