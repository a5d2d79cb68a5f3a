# frozen_string_literal: true

require "json"

module Sitewire
  # Receives +site.ready+ as a Rack application, which Rails mounts in its routes:
  #
  #   post "/webhook", to: Sitewire::Endpoint.new(secrets) { |event| Site.store(event) }
  #
  # The response is 204 after the block has returned, 401 or 400 with the fault as JSON if the request is not genuine,
  # 413 if the body is larger than +limit+, and 405 if the method is not POST. An error of the block is raised, so the
  # server responds 500, and the service delivers again.
  class Endpoint
    # secrets:: an Array of signing secrets, or an object with +call+ that returns one and is called for each request,
    #           so that a rotation needs no restart.
    # limit::   the largest body in bytes.
    # header::  as of Sitewire.construct_event.
    #
    # Raises ArgumentError if there is no block, or a secret is unusable, so that an application with an
    # empty secret stops at its start. Secrets that are called for are judged with each request.
    def initialize(secrets, limit: 65_536, header: "X-Sitewire-Signature", &handle)
      raise ArgumentError, "There is no block, so events would be lost. Pass one that takes the event." unless handle

      Secrets.keys(secrets) unless secrets.respond_to?(:call)
      @secrets = secrets
      @limit = limit
      @header = header
      @handle = handle
    end

    # Responds to a Rack request.
    def call(env)
      return [405, { "allow" => "POST" }, []] unless env["REQUEST_METHOD"] == "POST"

      body = read(env["rack.input"])
      return [413, {}, []] if body.bytesize > @limit

      event = begin
        Sitewire.construct_event(body, env, current_secrets, header: @header)
      rescue WebhookError => e
        return [e.status, { "content-type" => "application/json" }, [JSON.generate("fault" => e.fault)]]
      end
      @handle.call(event)
      [204, challenge(env), []]
    end

    private

    # The service sends it to a new address: who returns it agrees to get deliveries there.
    def challenge(env)
      name, value = Headers.read_beside(env, @header, "Challenge")
      value.match?(/\A[A-Za-z0-9_-]{1,200}\z/) ? { name.downcase => value } : {}
    end

    def current_secrets
      @secrets.respond_to?(:call) ? @secrets.call : @secrets
    end

    # Reads one byte beyond the limit at most. A middleware may have read the body before.
    def read(input)
      input.rewind if input.respond_to?(:rewind)
      input&.read(@limit + 1) || ""
    end
  end
end
