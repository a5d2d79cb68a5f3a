#!/bin/sh
# Writes the wheel into the folder $1.
set -eu
cd "$(dirname "$0")"
# Not `pip wheel`, which would install the build tool again for each wheel.
[ -d .work/flit ] || python3 -m pip install --quiet --no-compile --root-user-action=ignore --target .work/flit 'flit_core>=3.12,<5'
PYTHONPATH=.work/flit python3 -m flit_core.wheel --outdir "$1" >.work/pack.log 2>&1 || { cat .work/pack.log >&2; exit 1; }
