# frozen_string_literal: true

# A receiver of site.ready in Rack. It stores the sites in memory, where you would use your database.

require "json"
require "sitewire"

# One secret, or two during a rotation. If there is none, the application stops below, and says so.
secrets = ENV.fetch("SITEWIRE_SECRETS").split(",").reject(&:empty?)
sites = {}
lock = Mutex.new

site_ready = Sitewire::Endpoint.new(secrets) do |event|
  # An upsert: the same event again changes nothing, and a correction replaces the site. A late retry of what was corrected has
  # a smaller delivery id, and is ignored.
  lock.synchronize do
    stored = sites[event.site_url]
    sites[event.site_url] = event if stored.nil? || event.delivery >= stored.delivery
  end
end

# Only for the tests of this example. Do not copy it: it shows every site to anybody.
list_sites = lambda do |_env|
  list = lock.synchronize { sites.values }.map { |site| { site_url: site.site_url, name: site.name } }
  [200, { "content-type" => "application/json" }, [JSON.generate(list)]]
end

map("/webhook") { run site_ready }
map("/sites") { run list_sites }
