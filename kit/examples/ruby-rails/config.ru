# frozen_string_literal: true

# A receiver of site.ready in Rails. Its routes are in config/routes.rb; the rest is in this file.

require "rails"
require "action_controller/railtie"
require "sitewire"

class Receiver < Rails::Application
  config.eager_load = false
  config.logger = ActiveSupport::Logger.new($stdout)
  config.secret_key_base = SecureRandom.hex(64)
end

# It stores the sites in memory, where you would use a model and the statement in the page of the library.
class Site
  @all = {}
  @lock = Mutex.new

  class << self
    # The same event again changes nothing, and a correction replaces the site. A late retry of what was corrected has a smaller
    # delivery id, and is ignored.
    def store(event)
      @lock.synchronize do
        stored = @all[event.site_url]
        @all[event.site_url] = event if stored.nil? || event.delivery >= stored.delivery
      end
    end

    def all
      @lock.synchronize { @all.values }
    end
  end
end

# Only for the tests of this example. Do not copy it: it shows every site to anybody.
class SitesController < ActionController::Base
  def index
    render json: Site.all.map { |site| { site_url: site.site_url, name: site.name } }
  end
end

Rails.application.initialize!
run Rails.application
