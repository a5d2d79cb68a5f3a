# frozen_string_literal: true

module Sitewire
  VERSION = "0.1.0"
end
