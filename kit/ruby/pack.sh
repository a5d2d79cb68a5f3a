#!/bin/sh
# Writes the gem into the folder $1.
set -eu
cd "$(dirname "$0")"
gem build --silent sitewire.gemspec
mv sitewire-*.gem "$1"
