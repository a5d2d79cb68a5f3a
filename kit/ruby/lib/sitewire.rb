# frozen_string_literal: true

require_relative "sitewire/version"
require_relative "sitewire/webhook_error"
require_relative "sitewire/site_ready"
require_relative "sitewire/verify"
require_relative "sitewire/endpoint"
