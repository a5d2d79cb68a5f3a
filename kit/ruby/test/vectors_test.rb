# frozen_string_literal: true

require_relative "helper"

# The library agrees with the vectors that all languages share.
class VectorsTest < Minitest::Test
  def self.vectors(name)
    JSON.parse(File.read(File.expand_path("../../vectors/#{name}", __dir__), encoding: "UTF-8"))
  end

  def assert_fault(vector, &request)
    error = assert_raises(Sitewire::WebhookError, vector["why"], &request)
    assert_equal vector["fault"], error.fault, vector["why"]
    assert_equal vector["fault"] == "invalid-body" ? 400 : 401, error.status
  end

  (vectors("deliveries.json") + vectors("secrets.json")).each do |vector|
    next if vector["scheme"] == "standard-webhooks" # Those are for its own libraries.

    define_method("test_delivery: #{vector["name"]}") do
      construct = lambda do
        body = vector["body"].unpack1("m0")
        Sitewire.construct_event(body, vector["headers"], vector["secrets"])
      end
      next assert_raises(ArgumentError, vector["why"], &construct) if vector["refused"]
      next assert_fault(vector, &construct) if vector["fault"]

      assert_equal vector["event"], construct.call.to_h.transform_keys(&:to_s), vector["why"]
    end
  end

  vectors("sources.json").each do |vector|
    define_method("test_request_to_a_source: #{vector["name"]}") do
      verify = lambda do
        request = vector.values_at("method", "url", "headers", "secrets")
        Sitewire.verify_source_request(*request, now: vector["now"])
      end
      next assert_fault(vector, &verify) if vector["fault"]

      assert_nil verify.call, vector["why"]
    end
  end
end
