#!/usr/bin/env bash
# Builds the wheel, installs it into .work/ and tests it there. PYTHON chooses another interpreter.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
  echo "skipped: $python is not Python 3.9 or newer with the modules venv and ensurepip"
  exit 77
fi

[ -x .work/venv/bin/pip ] || "$python" -m venv .work/venv
.work/venv/bin/pip install --quiet --disable-pip-version-check --requirement tests/requirements.txt
rm -rf .work/wheel
.work/venv/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir .work/wheel .
.work/venv/bin/pip install --quiet --no-deps --force-reinstall .work/wheel/*.whl
.work/venv/bin/python -m pytest --quiet -p no:cacheprovider | tee .work/output
# pytest has ended with 0, so nothing failed.
grep --only-matching --extended-regexp '[0-9]+ passed' .work/output | tail -1
