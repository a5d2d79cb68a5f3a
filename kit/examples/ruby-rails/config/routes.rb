# frozen_string_literal: true

Rails.application.routes.draw do
  # One secret, or two during a rotation. If there is none, the application stops here, and says so.
  secrets = ENV.fetch("SITEWIRE_SECRETS").split(",").reject(&:empty?)

  post "/webhook", to: Sitewire::Endpoint.new(secrets) { |event| Site.store(event) }
  get "/sites", to: "sites#index"
end
