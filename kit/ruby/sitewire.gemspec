# frozen_string_literal: true

require_relative "lib/sitewire/version"

Gem::Specification.new do |spec|
  spec.name = "sitewire"
  spec.version = Sitewire::VERSION
  spec.summary = "Verifies site.ready deliveries and requests to data sources"
  spec.authors = ["The authors of Sitewire"]
  spec.license = "Apache-2.0"
  spec.files = Dir["lib/**/*.rb", "README.md", base: __dir__]
  # openssl and json are part of Ruby. Nothing else is needed.
  spec.required_ruby_version = ">= 3.0"
  spec.metadata = { "rubygems_mfa_required" => "true" }
end
