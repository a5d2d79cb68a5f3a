# frozen_string_literal: true

require_relative "helper"

# The helper for the tests of a receiver makes what the service sends.
class TestingTest < Minitest::Test
  include Helper

  def test_a_delivery_has_all_headers_and_the_body_of_the_service
    body, headers = sign(EXAMPLE, SECRET, id: "019aa000")
    assert body.start_with?('{"event":"site.ready","channel":"acme",')
    assert_includes body, "Bäckerei".b
    assert_equal %w[event channel reference site_url console_url name email created_at], JSON.parse(body).keys
    assert_equal(
      { "Content-Type" => "application/json", "X-Sitewire-Delivery" => "019aa000", "X-Sitewire-Attempt" => "1" },
      headers.reject { |name, _| name.downcase.end_with?("signature") }
    )
    assert_equal EXAMPLE, Sitewire.construct_event(body, headers, [SECRET])
  end

  def test_each_delivery_has_its_own_id
    ids = Array.new(99) { sign(EXAMPLE, SECRET).last["X-Sitewire-Delivery"] }
    assert_equal ids.uniq.sort, ids
    ids.each { |id| assert_match(/\A\h{8}-\h{4}-7\h{3}-[89ab]\h{3}-\h{12}\z/, id) }
    assert_in_delta Time.now.to_f, ids.first.delete("-")[0, 12].hex / 1000.0, 60
    event = Sitewire::SiteReady.new(**EXAMPLE.to_h, delivery: "d1")
    assert_equal "d1", sign(event, SECRET).last["X-Sitewire-Delivery"]
  end

  def test_nobody_can_sign_with_an_empty_secret
    assert_raises(ArgumentError) { sign(EXAMPLE, "") }
  end
end
