#!/bin/sh
# Lays down one workspace as its image holds it: what it imports, dependencies at their locked versions, and what Node
# compiles of both. Run by the Dockerfile, as root: sh deploy/install.sh services/trigger-gateway /app
set -eu
workspace=$1
to=$2

node deploy/pick.ts "$workspace" "$to"
cd "$to"
npm ci --omit=dev --ignore-scripts

# npm's and pick.ts's own are of no use to the process.
rm -rf "$NODE_COMPILE_CACHE"
# Node looks for what it compiled by its own version, the user's id and each file's path, so this runs as the image's
# user in the image's folder, and with those of the image's options that change what is compiled (how the young
# generation is sized and collected does not, nor does the kind of CPU: tried). `--help` imports what a start imports,
# but for some files of kafkajs that it loads when a request needs them.
compile() {
  setpriv --reuid=65532 --regid=65532 --clear-groups \
    node --heap-growing-percent=150 --no-allocation-site-pretenuring "$workspace/src/main.ts" --help
}
install -d -o 65532 -g 65532 "$NODE_COMPILE_CACHE"
compile >/dev/null
# Node lets only their owner read its files, and COPY --from leaves them their owner, who is to be root.
chown -R root:root "$NODE_COMPILE_CACHE"
chmod -R u=rwX,go=rX "$NODE_COMPILE_CACHE"
# A process that finds nothing, or may not read it, is slower and says nothing; so it is asked, here.
if ! NODE_DEBUG_NATIVE=COMPILE_CACHE compile 2>&1 | grep 'reading cache from .* success' >/dev/null; then
  echo "Node does not use what it compiled for $workspace; see NODE_DEBUG_NATIVE=COMPILE_CACHE" >&2
  exit 1
fi
