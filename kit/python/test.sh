#!/usr/bin/env bash
# Builds the wheel, installs it into .work/ and tests it there. PYTHON chooses another interpreter.
set -euo pipefail
cd "$(dirname "$0")"

command -v uv >/dev/null || { echo "skipped: uv is not installed"; exit 77; }

[ -x .work/venv/bin/python ] || uv venv --quiet --python "${PYTHON:-python3}" .work/venv
uv pip install --quiet --python .work/venv --requirement tests/requirements.txt
rm -rf .work/wheel
.work/venv/bin/python -m flit_core.wheel --outdir .work/wheel >.work/build.log 2>&1 || { cat .work/build.log >&2; exit 1; }
uv pip install --quiet --python .work/venv --no-deps --reinstall .work/wheel/*.whl
.work/venv/bin/python -m pytest --quiet -p no:cacheprovider | tee .work/output
# pytest has ended with 0, so nothing failed.
grep --only-matching --extended-regexp '[0-9]+ passed' .work/output | tail -1
