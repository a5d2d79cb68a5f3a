# frozen_string_literal: true

require "rack"
require "socket"
require_relative "helper"

# The code in the README works.
class ReadmeTest < Minitest::Test
  include Helper

  README = File.read(File.expand_path("../README.md", __dir__), encoding: "UTF-8")

  def setup
    @before = ENV.fetch("SITEWIRE_SECRETS", nil)
    ENV["SITEWIRE_SECRETS"] = "an older secret,#{SECRET}"
  end

  def teardown
    ENV["SITEWIRE_SECRETS"] = @before
  end

  def code(name)
    README[/```ruby #{name}\n(.*?)```/m, 1]
  end

  # Executes the block of code with this name, and returns an object with the methods that it defines.
  def run_code(name)
    Object.new.tap { |object| object.instance_eval(code(name)) }
  end

  def assert_receives(app)
    assert_output("site ready: https://bakery.example/\n") do
      assert_equal 204, run_code("testing").deliver(app, SECRET)
      assert_equal 401, run_code("testing").deliver(app, "another")
    end
  end

  def test_rack
    builder = Rack::Builder.new
    builder.instance_eval(code("config.ru"))
    assert_receives builder.to_app
  end

  def test_rails
    begin
      require "rails"
      require "action_controller/railtie"
    rescue LoadError
      skip "Rails is not installed"
    end
    application = Class.new(Rails::Application) { config.eager_load = false }
    Rails.application = application.instance
    run_code("rails")
    assert_receives Rails.application.routes
  end

  def test_elsewhere
    receiver = run_code("other")
    assert_output("site ready: https://bakery.example/\n") do
      assert_equal 204, receiver.receive(*sign(EXAMPLE, SECRET), [SECRET])
      assert_equal 400, receiver.receive(*sign("{}", SECRET), [SECRET])
      assert_equal 401, receiver.receive("", {}, [SECRET])
    end
  end

  def test_a_data_source
    assert_raises(Sitewire::WebhookError) { run_code("source").require_service({}, [SECRET]) }
  end

  # Responds to one call after the other. Returns the lines of the requests and the waits between them.
  def call_trigger(*responses)
    server = TCPServer.new("127.0.0.1", 0)
    url = "http://127.0.0.1:#{server.addr[1]}/connectors/hook/7/a-token/"
    requests = Queue.new
    thread = Thread.new { responses.each { |response| respond(server.accept, response, requests) } if responses.any? }
    server.close if responses.empty?
    waits = []
    caller = run_code("trigger")
    caller.define_singleton_method(:sleep) { |seconds| waits << seconds }
    yield caller, url
    thread.join
    [Array.new(requests.size) { requests.pop }, waits]
  ensure
    server.close
  end

  def respond(socket, response, requests)
    requests << socket.gets
    nil until socket.gets == "\r\n"
    socket.write("HTTP/1.1 #{response}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    socket.close
  end

  def test_a_call_of_the_trigger_is_repeated_when_it_says
    responses = ["503 Busy\r\nRetry-After: 1", "503 Busy\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT", "202 Accepted"]
    requests, waits = call_trigger(*responses) { |caller, url| caller.call_trigger(url) }
    assert_equal ["POST /connectors/hook/7/a-token/ HTTP/1.1\r\n"] * 3, requests
    assert_equal [1, 60], waits
  end

  def test_a_call_without_a_response_is_repeated
    _, waits = call_trigger do |caller, url|
      error = assert_raises(RuntimeError) { caller.call_trigger(url) }
      assert_match(/none of 8 calls/, error.message)
    end
    assert_equal [60] * 8, waits
  end

  def test_a_replaced_address_of_the_trigger_is_not_called_again
    requests, waits = call_trigger("404 Not Found") do |caller, url|
      error = assert_raises(RuntimeError) { caller.call_trigger(url) }
      assert_match(/404/, error.message)
      refute_match(/a-token/, error.message)
    end
    assert_equal [1, []], [requests.size, waits]
  end
end
