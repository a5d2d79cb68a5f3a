#!/bin/sh
# Writes a folder goproxy, as module proxies serve it, into the folder $1.
set -eu
cd "$(dirname "$0")"
go run pack.go "$1/goproxy"
