# frozen_string_literal: true

module Sitewire
  # A request that must not be processed. The message says what happened, why, and what to do. It repeats nothing of the
  # request or the secret.
  class WebhookError < StandardError
    # What is wrong, judged in this order:
    #
    # "missing"::      a header of the signature is missing or empty.
    # "malformed"::    a header of the signature does not have the form that the service sends.
    # "outdated"::     the signed time is too far from this machine's clock (only of a request to a data source).
    # "mismatch"::     no secret signed these bytes.
    # "invalid-body":: a secret signed these bytes, but they are no site.ready event.
    attr_reader :fault

    def initialize(fault, message)
      super(message)
      @fault = fault
    end

    # The HTTP status to respond with: 400 for "invalid-body", otherwise 401.
    def status
      fault == "invalid-body" ? 400 : 401
    end
  end
end
