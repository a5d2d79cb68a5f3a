#!/bin/sh
# Tests the Java library: ./test.sh. The last line is "N passed".
set -eu
cd "$(dirname "$0")"
for tool in javac mvn; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: $tool is not installed"
    exit 77
  fi
done
test -f ../vectors/deliveries.json || { echo "the vectors ../vectors/deliveries.json are missing"; exit 1; }
mkdir -p .work

mvn --batch-mode --no-transfer-progress clean package > .work/tests.log 2>&1 || { cat .work/tests.log; exit 1; }
grep SKIPPED .work/tests.log || true
# The last of these lines is the sum of all classes.
sed -n 's/.*Tests run: \([0-9]*\), Failures: 0, Errors: 0, Skipped: \([0-9]*\)$/\1 \2/p' .work/tests.log |
  tail -1 | { read -r run skipped; echo "$((run - skipped)) passed"; }
