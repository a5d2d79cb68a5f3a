#!/bin/sh
# Tests the Go library: ./test.sh. The last line is "N passed".
# FUZZ_TIME, such as 30s: how long each fuzz target runs as well. Compiling for it takes a minute of CPU time.
set -eu
cd "$(dirname "$0")"
if ! command -v go >/dev/null; then
  echo "skipped: go is not installed"
  exit 77
fi
test -f ../vectors/deliveries.json || { echo "the vectors ../vectors/deliveries.json are missing"; exit 1; }
mkdir -p .work

unformatted=$(gofmt -l .)
test -z "$unformatted" || { echo "not formatted, run gofmt -w: $unformatted"; exit 1; }
go vet ./...
go test -count=1 -v ./... > .work/tests.log || { grep -v -e '=== RUN' -e '--- PASS' .work/tests.log; exit 1; }
grep SKIPPED .work/tests.log || true
for target in ${FUZZ_TIME:+FuzzAnyBytes FuzzHeaders FuzzBody}; do
  go test -run='^$' -fuzz="^$target\$" -fuzztime="$FUZZ_TIME" . > .work/fuzz.log || { cat .work/fuzz.log; exit 1; }
  echo "$target: $(grep -o 'execs: [0-9]*' .work/fuzz.log | tail -1)"
done
echo "$(grep -c -e '--- PASS' .work/tests.log) passed"
