#!/bin/sh
# Writes the files of one image into a folder: a workspace, the workspaces that it imports, their dependencies at the
# locked versions, and Node's compile cache of all that. The Dockerfile runs this as root:
#   sh deploy/install.sh services/trigger-gateway /app
set -eu
workspace=$1
to=$2

name=$(node -p "require('./$workspace/package.json').name")
node node_modules/turbo/bin/turbo prune "$name" --production --out-dir "$to"
cp .npmrc "$to"
cd "$to"
# turbo keeps the manifests as they are. Without this, npm looks up the development dependencies, which are not in the
# folder, in the public registry; and it installs the Node that the repository brings for developers.
npm pkg delete devDependencies optionalDependencies
npm pkg delete devDependencies --workspaces
npm ci --omit=dev --ignore-scripts

# `npm pkg` and `npm ci` run on Node, which wrote its compile cache of npm here.
rm -rf "$NODE_COMPILE_CACHE"
# Node finds a cached file by Node's version, the user's id and the file's path. So this runs as the image's user, in the
# image's folder, with those of the image's options that change the compiled code. (The size of the young generation and
# how it is collected do not; nor does the kind of CPU. Tried.) `--help` imports what a start imports, except for some
# files of kafkajs that it loads when a request needs them.
compile() {
  setpriv --reuid=65532 --regid=65532 --clear-groups \
    node --heap-growing-percent=150 --no-allocation-site-pretenuring "$workspace/src/main.ts" --help
}
install -d -o 65532 -g 65532 "$NODE_COMPILE_CACHE"
compile >/dev/null
# Only their owner may read the files that Node wrote. COPY --from does not change the owner, which has to be root.
chown -R root:root "$NODE_COMPILE_CACHE"
chmod -R u=rwX,go=rX "$NODE_COMPILE_CACHE"
# Without a readable cache, a process starts more slowly and does not report it. So check here.
if ! NODE_DEBUG_NATIVE=COMPILE_CACHE compile 2>&1 | grep 'reading cache from .* success' >/dev/null; then
  echo "Node does not use its compile cache for $workspace; see NODE_DEBUG_NATIVE=COMPILE_CACHE" >&2
  exit 1
fi
