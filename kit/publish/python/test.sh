#!/usr/bin/env bash
# Installs the built wheel and confluent-kafka, and runs the tests. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
command -v uv >/dev/null || { echo "skipped: uv is not installed"; exit 77; }

rm -rf .work
mkdir -p .work/source
cp -r pyproject.toml sitewire_publish .work/source
uv venv --quiet --python python3 .work/venv
uv pip install --quiet --python .work/venv confluent-kafka==2.16.1 .work/source
export VECTORS="$PWD/../../vectors/site-paid.json"
cp quickstart.py tests/test_publisher.py .work
cd .work
[ -z "${KAFKA_BROKERS:-}" ] || venv/bin/python quickstart.py
venv/bin/python -W error test_publisher.py 2>&1 | tee output.txt
ran=$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' output.txt)
skipped=$(sed -n 's/^OK (skipped=\([0-9]*\))$/\1/p' output.txt)
echo "$((ran - ${skipped:-0})) passed"
