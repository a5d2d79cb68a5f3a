# frozen_string_literal: true

require_relative "helper"

# The helper for the tests of a receiver makes what the service sends.
class TestingTest < Minitest::Test
  include Helper

  def test_a_delivery_has_all_headers_and_the_body_of_the_service
    body, headers = sign(EXAMPLE, SECRET, id: "019aa000", timestamp: 1_772_366_400)
    assert body.start_with?('{"event":"site.ready","channel":"acme",')
    assert_includes body, "Bäckerei".b
    assert_equal %w[event channel reference site_url console_url name email created_at], JSON.parse(body).keys
    assert_equal(
      { "Content-Type" => "application/json", "X-Sitewire-Delivery" => "019aa000", "X-Sitewire-Attempt" => "1",
        "webhook-id" => "019aa000", "webhook-timestamp" => "1772366400" },
      headers.reject { |name, _| name.downcase.end_with?("signature") }
    )
    Sitewire::SCHEMES.each do |scheme|
      assert_equal EXAMPLE, Sitewire.construct_event(body, headers, [SECRET], scheme: scheme, now: 1_772_366_400)
    end
  end

  def test_each_delivery_has_its_own_id
    assert_equal 3, Array.new(3) { sign(EXAMPLE, SECRET).last["webhook-id"] }.uniq.size
  end

  def test_nobody_can_sign_with_an_empty_secret
    assert_raises(ArgumentError) { sign(EXAMPLE, "") }
  end
end
