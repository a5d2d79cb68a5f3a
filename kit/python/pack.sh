#!/bin/sh
# Writes the wheel into the folder $1.
set -eu
cd "$(dirname "$0")"
python3 -m pip wheel --quiet --no-deps --wheel-dir "$1" .
