# frozen_string_literal: true

require "rack"
require_relative "helper"

class EndpointTest < Minitest::Test
  include Helper

  LIMIT = 65_536

  # A body of which no more may be read than is needed.
  class Endless
    attr_reader :given

    def read(size)
      @given = @given.to_i + size
      " " * size
    end
  end

  def setup
    @events = []
    @secrets = [SECRET]
  end

  # Rack::Lint raises an error if the endpoint violates Rack's specification.
  def endpoint(secrets = @secrets, **options, &handle)
    handle ||= ->(event) { @events << event }
    Rack::Lint.new(Sitewire::Endpoint.new(secrets, **options, &handle))
  end

  def send_request(body, headers, app = endpoint)
    env = headers.except("Content-Type").transform_keys { |name| "HTTP_#{name.upcase.tr("-", "_")}" }
    Rack::MockRequest.new(app).post("/webhook", input: body, **env)
  end

  def post(...)
    response = send_request(...)
    [response.status, response.body]
  end

  def test_an_event_reaches_the_block
    assert_equal [204, ""], post(*sign(EXAMPLE, SECRET))
    assert_equal [EXAMPLE], @events
  end

  def test_the_event_has_the_id_of_its_delivery
    body, headers = sign(EXAMPLE, SECRET, id: "d1")
    signature = headers["X-Sitewire-Signature"]
    changed = headers.merge("X-Sitewire-Delivery" => "d2")
    assert_equal 204, post(body, changed).first
    renamed = headers.merge("X-Acme-Signature" => signature, "X-Acme-Delivery" => "d3")
    assert_equal 204, post(body, renamed, endpoint(header: "x-acme-signature")).first
    assert_equal 204, post(body, headers.merge("X-Proof" => signature), endpoint(header: "X-Proof")).first
    assert_equal 204, post(body, headers.except("X-Sitewire-Delivery")).first
    assert_equal ["d2", "d3", "", ""], @events.map(&:delivery)
  end

  def test_a_request_that_is_not_genuine
    { nil => "missing", "sha256=#{"A" * 64}" => "malformed", "sha256=#{"a" * 64}" => "mismatch" }.each do |value, fault|
      body, headers = sign(EXAMPLE, SECRET)
      headers["X-Sitewire-Signature"] = value
      assert_equal [401, JSON.generate("fault" => fault)], post(body, headers.compact)
    end
    assert_empty @events
  end

  def test_a_signed_body_that_is_no_event
    assert_equal [400, '{"fault":"invalid-body"}'], post(*sign("{}", SECRET))
  end

  def test_the_limit_of_a_body
    largest = sign(EXAMPLE, SECRET).first.ljust(LIMIT)
    assert_equal 204, post(*sign(largest, SECRET)).first
    assert_equal 413, post(*sign("#{largest} ", SECRET)).first
    assert_equal [EXAMPLE], @events
  end

  def test_a_body_beyond_the_limit_is_not_read
    endless = Endless.new
    app = Sitewire::Endpoint.new(@secrets) { flunk }
    assert_equal 413, app.call("REQUEST_METHOD" => "POST", "rack.input" => endless).first
    assert_operator endless.given, :<=, LIMIT + 1
  end

  def test_no_body
    app = Sitewire::Endpoint.new(@secrets) { flunk }
    assert_equal 401, app.call("REQUEST_METHOD" => "POST").first
  end

  def test_a_middleware_may_have_read_the_body
    app = endpoint
    reading = lambda do |env|
      env["rack.input"].read
      app.call(env)
    end
    assert_equal 204, post(*sign(EXAMPLE, SECRET), reading).first
  end

  def test_only_post
    response = Rack::MockRequest.new(endpoint).get("/webhook")
    assert_equal [405, "POST"], [response.status, response["Allow"]]
  end

  def test_an_error_of_the_block_is_the_servers_even_if_it_is_a_webhook_error
    app = endpoint { raise Sitewire::WebhookError.new("mismatch", "of another delivery") }
    assert_raises(Sitewire::WebhookError) { post(*sign(EXAMPLE, SECRET), app) }
  end

  def test_secrets_that_are_called_for_rotate_without_a_restart
    secrets = ["old"]
    app = endpoint(-> { secrets })
    assert_equal 401, post(*sign(EXAMPLE, "new"), app).first
    secrets << "new"
    assert_equal 204, post(*sign(EXAMPLE, "new"), app).first
    secrets.clear
    assert_raises(ArgumentError) { post(*sign(EXAMPLE, "new"), app) }
  end

  def test_an_application_that_could_verify_nothing_does_not_start
    [[], [""], [SECRET, ""], nil].each { |secrets| assert_raises(ArgumentError) { endpoint(secrets) } }
    assert_raises(ArgumentError) { Sitewire::Endpoint.new([SECRET]) }
  end

  def test_the_challenge_of_a_new_address_is_returned_if_the_delivery_is_genuine
    [[{}, "X-Sitewire-Challenge"], [{ header: "X-Acme-Signature" }, "X-Acme-Challenge"]]
      .each do |options, name|
        returned = lambda do |secret, challenge|
          body, headers = sign(EXAMPLE, secret)
          headers["X-Acme-Signature"] = headers["X-Sitewire-Signature"]
          send_request(body, headers.merge(name => challenge), endpoint(**options))[name]
        end
        assert_equal "Ab_9-", returned.call(SECRET, "Ab_9-")
        assert_nil returned.call(SECRET, "a, b")
        assert_nil returned.call("forged", "Ab_9-")
      end
  end

  def test_another_name_of_the_service
    body, headers = sign(EXAMPLE, SECRET)
    headers["X-Acme-Signature"] = headers.delete("X-Sitewire-Signature")
    assert_equal 204, post(body, headers, endpoint(header: "X-Acme-Signature")).first
  end
end
