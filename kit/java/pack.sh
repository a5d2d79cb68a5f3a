#!/bin/sh
# Writes the jar into the folder $1.
set -eu
cd "$(dirname "$0")"
mvn --batch-mode --quiet -DskipTests clean package
cp target/sitewire-*.jar "$1"
