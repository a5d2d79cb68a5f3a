#!/bin/sh
# Writes the archive for Composer into the folder $1.
set -eu
cd "$(dirname "$0")"
. ./debian.sh
debian_packages "$PWD/.work/zip" php-zip
composer archive --quiet --format=zip --dir="$1"
