#!/usr/bin/env bash
# Installs the packed library beside kafkajs, and runs its tests. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
command -v npm >/dev/null || { echo "skipped: npm is missing"; exit 77; }

rm -rf .work
mkdir -p .work/tests/node .work/vectors
npm pack --silent --pack-destination .work >/dev/null
cp publisher.test.js quickstart.js .work/tests/node
cp ../../vectors/site-paid.json .work/vectors
cd .work/tests/node
echo '{"type": "module"}' >package.json
npm install --silent --no-audit --no-fund ../../sitewire-publish-*.tgz kafkajs@2.2.4
[ -z "${KAFKA_BROKERS:-}" ] || node quickstart.js
node --test --test-reporter=spec publisher.test.js | tee output.txt
echo "$(sed -n 's/^ℹ pass //p' output.txt) passed"
