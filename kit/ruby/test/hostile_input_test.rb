# frozen_string_literal: true

require_relative "helper"

# Large and deep requests are refused, and quickly.
class HostileInputTest < Minitest::Test
  include Helper

  LARGE = 5 << 20

  def event_with(field)
    "#{sign(EXAMPLE, SECRET).first[0..-2]},#{field}}".b
  end

  def test_a_large_body
    assert_equal "mismatch", fault("\xff" * LARGE, sign(EXAMPLE, SECRET).last)
    assert_equal "invalid-body", fault(*sign("\xff" * LARGE, SECRET))
  end

  def test_texts_that_could_be_tried_in_many_ways
    ['""' * (LARGE / 2), "\"#{"\\n" * (LARGE / 2)}", "\"#{"a" * LARGE}", " " * LARGE].each do |body|
      assert_equal "invalid-body", fault(*sign(body, SECRET))
    end
  end

  def test_deep_nesting
    ["[", '{"a":'].each do |nested|
      assert_equal "invalid-body", fault(*sign(nested * 1_000_000, SECRET))
      assert_equal "invalid-body", fault(*sign(event_with("\"a\":#{nested * 1_000_000}"), SECRET))
    end
  end

  def test_a_number_of_many_digits_in_an_unknown_field
    assert_equal EXAMPLE, Sitewire.construct_event(*sign(event_with("\"n\":#{"9" * 60_000}"), SECRET), [SECRET])
  end

  def test_what_the_parser_of_ruby_accepts_though_it_is_not_json
    ['"a":/* comment */1', "\"a\":1 // comment\n", '"a":"\x41"', '"a":Infinity', '"a":-Infinity'].each do |field|
      assert_equal "invalid-body", fault(*sign(event_with(field), SECRET)), field
    end
    assert_equal EXAMPLE, Sitewire.construct_event(*sign(event_with('"a":"/* \\\\ \" // \u0041"'), SECRET), [SECRET])
  end

  def test_large_headers
    body, genuine = sign(EXAMPLE, SECRET)
    ["a", " ", "v1,a ", "v1,", "0", "\xff", "ä"].each do |part|
      large = part * (LARGE / part.bytesize)
      assert_equal "malformed", fault(body, genuine.merge("X-Sitewire-Signature" => large))
      assert_equal "malformed", fault(body, genuine.merge("X-Sitewire-Signature" => "sha256=#{large}"))
      SOURCE.each_key { |name| assert_includes %w[malformed mismatch], fault_of_source(SOURCE.merge(name => large)) }
    end
  end

  def test_a_header_that_is_not_a_text
    [["sha256="], 7, :sha256, %w[a b]].each do |value|
      assert_equal "malformed", fault("", { "X-Sitewire-Signature" => value })
    end
    assert_equal "missing", fault("", { "X-Sitewire-Signature" => nil })
  end

  def test_a_header_that_came_twice
    body, headers = sign(EXAMPLE, SECRET)
    assert_equal "malformed", fault(body, headers.merge(headers.transform_keys(&:upcase)))
    assert_equal "malformed", fault_of_source(SOURCE.merge(SOURCE.transform_keys(&:upcase)))
  end
end
