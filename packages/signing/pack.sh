#!/bin/sh
# Writes the npm package's archive into the folder $1.
set -eu
cd "$(dirname "$0")"
../../node_modules/.bin/node package.ts dist
npm pack ./dist --silent --pack-destination "$1"
