# frozen_string_literal: true

require_relative "helper"

# What holds for any request. Each test tries many random ones; the seed that minitest prints repeats them.
class PropertiesTest < Minitest::Test
  include Helper

  NAMES = %w[X-Sitewire-Signature webhook-id webhook-timestamp webhook-signature HTTP_WEBHOOK_ID].freeze
  # Also bytes in no encoding, and parts that look like a genuine header.
  PARTS = ["v1,", "v1a,", "sha256=", " ", "0", "a" * 64, "1772366400", ",", ".", "\n", "\xff", "\u{ffff}",
           "\xd8\x00".dup.force_encoding("UTF-16BE")].freeze

  def setup
    @random = Random.new(Minitest.seed)
  end

  def bytes(minimum = 0)
    @random.bytes(minimum + @random.rand(200))
  end

  def header
    parts = Array.new(@random.rand(5)) { PARTS.sample(random: @random).b }
    parts.join.force_encoding(%w[UTF-8 BINARY].sample(random: @random))
  end

  def test_any_bytes_that_are_signed_verify
    # Random bytes are no event: only a body whose signature is valid is judged.
    400.times do
      secret = bytes(1)
      assert_equal "invalid-body", fault(*sign(bytes, secret), secret)
    end
  end

  def test_any_event_that_is_signed_is_returned
    400.times do
      name = Array.new(@random.rand(20)) { [@random.rand(0xd7ff)].pack("U") }.join
      event = Sitewire::SiteReady.new(**EXAMPLE.to_h, name: name)
      assert_equal event, Sitewire.construct_event(*sign(event, SECRET), ["another", SECRET])
    end
  end

  def test_a_flipped_bit_does_not_verify
    400.times do
      body = bytes(1)
      _, headers = sign(body, SECRET)
      index = @random.rand(body.bytesize)
      body.setbyte(index, body.getbyte(index) ^ (1 << @random.rand(8)))
      assert_equal "mismatch", fault(body, headers)
    end
  end

  def test_another_secret_does_not_verify
    400.times { assert_equal "mismatch", fault(*sign(EXAMPLE, "a"), "a#{bytes(1)}!") }
  end

  def test_no_headers_raise_anything_but_a_webhook_error
    400.times do
      headers = Array.new(@random.rand(5)) { [[*NAMES, header].sample(random: @random), header] }.to_h
      assert_includes %w[missing malformed mismatch], fault(bytes, headers)
      assert_includes %w[missing malformed outdated mismatch], fault_of_source(headers)
    end
  end

  def test_no_body_raises_anything_but_a_webhook_error
    json = %w({ } [ ] : , " \\ \\u d800 1 - e . /* null NaN) + ["\xff", "\0"]
    1_000.times do
      body = Array.new(@random.rand(12)) { json.sample(random: @random).b }.join
      assert_equal "invalid-body", fault(*sign(body, SECRET))
    end
  end
end
