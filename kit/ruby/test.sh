#!/usr/bin/env bash
# Builds the gem, installs it into .work/ and tests it there.
set -euo pipefail
cd "$(dirname "$0")"

if ! ruby -e 'exit RUBY_VERSION.to_f >= 3' 2>/dev/null; then
  echo "skipped: ruby is not Ruby 3.0 or newer"
  exit 77
fi

mkdir -p .work
default=$(ruby -e 'puts Gem.path.join(":")')
export GEM_HOME="$PWD/.work/gems" GEM_PATH="$PWD/.work/gems:$default"
for needed in minitest rack; do
  ruby -e "require '$needed'" 2>/dev/null || gem install --silent --no-document "$needed" >.work/install.log 2>&1 || {
    echo "skipped: the gem $needed is not installed, and cannot be downloaded. In Debian: apt-get install ruby-$needed"
    exit 77
  }
done
gem build --silent --output .work/sitewire.gem sitewire.gemspec
gem install --silent --local --force --no-document .work/sitewire.gem

ruby -e 'Dir["./test/*_test.rb"].sort.each { |file| require file }' | tee .work/output
# minitest has ended with 0, so nothing failed. A skipped test has not passed.
ruby -e '
  runs, skips = File.read(".work/output").match(/^(\d+) runs, .* (\d+) skips/).captures.map(&:to_i)
  puts "#{runs - skips} passed"
'
