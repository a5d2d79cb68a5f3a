# frozen_string_literal: true

require_relative "helper"

# A fault of the receiver is no WebhookError: it must not look like a forged request.
class ReceiversFaultsTest < Minitest::Test
  include Helper

  def test_no_secret_or_one_that_is_no_key
    [nil, [], "a secret", [""], ["a secret", ""], [nil], [:secret], { "a" => "secret" }].each do |secrets|
      error = assert_raises(ArgumentError) { Sitewire.construct_event(*sign(EXAMPLE, SECRET), secrets) }
      assert_match(/secret/, error.message)
      assert_raises(ArgumentError) { Sitewire.verify_source_request("GET", "https://a.example/", {}, secrets) }
    end
  end

  def test_a_secret_counts_with_its_bytes_whatever_its_encoding_is_named
    delivery = sign(EXAMPLE, "schlüssel")
    %w[UTF-8 US-ASCII BINARY].each do |encoding|
      assert_equal EXAMPLE, Sitewire.construct_event(*delivery, ["schlüssel".dup.force_encoding(encoding)])
    end
  end

  def test_a_body_that_was_parsed
    [{ "event" => "site.ready" }, nil, StringIO.new].each do |body|
      error = assert_raises(ArgumentError) { Sitewire.construct_event(body, {}, [SECRET]) }
      assert_match(/raw bytes/, error.message)
    end
  end

  def test_a_tolerance_that_is_no_number_of_seconds_accepts_nothing
    assert_equal "outdated", fault_of_source(SOURCE, tolerance_seconds: Float::NAN)
  end

  def test_no_message_repeats_the_request_or_the_secret
    requests = [["", {}], ["", { "X-Sitewire-Signature" => "forged" }], sign(EXAMPLE, "another"),
                sign("owner@bakery.example", "a-secret")]
    messages = requests.map do |request|
      error = assert_raises(Sitewire::WebhookError) { Sitewire.construct_event(*request, ["a-secret"]) }
      assert_nil error.cause
      assert_match(/Respond 40/, error.message)
      error.message
    end
    refute_match(/forged|a-secret|another|bakery/, messages.join)
    refute_includes EXAMPLE.inspect + EXAMPLE.to_s, EXAMPLE.email
  end

  def test_an_event_cannot_be_changed
    assert_raises(FrozenError) { EXAMPLE.name = "another" }
  end
end
