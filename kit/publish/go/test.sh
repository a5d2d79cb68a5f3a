#!/usr/bin/env bash
# Runs the tests with Go's own cache. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
command -v go >/dev/null || { echo "skipped: Go is missing"; exit 77; }

mkdir -p .work
go vet ./...
[ -z "$(gofmt -l .)" ] || { gofmt -d .; exit 1; }
[ -z "${KAFKA_BROKERS:-}" ] || go run ./quickstart
go test -count=1 -v . | tee .work/output.txt | grep -v '^=== '
echo "$(grep -c '^ *--- PASS' .work/output.txt) passed"
