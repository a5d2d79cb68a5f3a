#!/usr/bin/env bash
# Builds the wheel, installs it into .work/ and tests it there. PYTHON chooses another interpreter.
set -euo pipefail
cd "$(dirname "$0")"

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, pip; sys.exit(sys.version_info < (3, 9) or pip.__version__ < "22.3")' 2>/dev/null; then
  echo "skipped: $python is not Python 3.9 or newer with the module venv and pip 22.3 or newer"
  exit 77
fi

# Without a pip of its own, and without compiling what no test imports, because each takes seconds.
[ -x .work/venv/bin/python ] || "$python" -m venv --without-pip .work/venv
pip() { "$python" -m pip --python .work/venv/bin/python "$@"; }
pip install --quiet --disable-pip-version-check --no-compile --requirement tests/requirements.txt
rm -rf .work/wheel
pip wheel --quiet --no-deps --no-build-isolation --wheel-dir .work/wheel .
pip install --quiet --no-deps --no-compile --force-reinstall .work/wheel/*.whl
.work/venv/bin/python -m pytest --quiet -p no:cacheprovider | tee .work/output
# pytest has ended with 0, so nothing failed.
grep --only-matching --extended-regexp '[0-9]+ passed' .work/output | tail -1
