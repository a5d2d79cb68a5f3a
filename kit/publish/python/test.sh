#!/usr/bin/env bash
# Installs the built wheel and confluent-kafka, and runs the tests. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
python3 -c 'import sys, venv, pip; sys.exit(sys.version_info < (3, 10) or pip.__version__ < "22.3")' 2>/dev/null ||
  { echo "skipped: Python 3.10 or newer with venv, or its pip 22.3 or newer, is missing"; exit 77; }

rm -rf .work
mkdir -p .work/source
cp -r pyproject.toml sitewire_publish .work/source
python3 -m venv --without-pip .work/venv
python3 -m pip --python .work/venv/bin/python install --quiet --disable-pip-version-check --no-compile confluent-kafka==2.16.1 .work/source
export VECTORS="$PWD/../../vectors/site-paid.json"
cp quickstart.py tests/test_publisher.py .work
cd .work
[ -z "${KAFKA_BROKERS:-}" ] || venv/bin/python quickstart.py
venv/bin/python -W error test_publisher.py 2>&1 | tee output.txt
ran=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' output.txt)
skipped=$(sed -n 's/^OK (skipped=\([0-9]*\))$/\1/p' output.txt)
echo "$((ran - ${skipped:-0})) passed"
