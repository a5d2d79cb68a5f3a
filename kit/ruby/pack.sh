#!/bin/sh
# Writes the gem into the folder $1.
set -eu
cd "$(dirname "$0")"
gem build --silent --output "$1/sitewire.gem" sitewire.gemspec
