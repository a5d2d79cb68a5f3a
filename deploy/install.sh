#!/bin/sh
# Writes the files of one image into a folder: a workspace, the workspaces that it imports, their dependencies
# at the locked versions, and Node's compile cache of these files. The Dockerfile runs this as root:
#   sh deploy/install.sh services/trigger-gateway /app
set -eu
workspace=$1
to=$2

name=$(node -p "require('./$workspace/package.json').name")
node node_modules/turbo/bin/turbo prune "$name" --production --out-dir "$to"
cp .npmrc "$to"
cd "$to"
# turbo leaves the development dependencies in the package.json files. They are not in the folder, so npm
# would look them up in the public registry. npm would also install the Node that the repository brings for
# developers.
npm pkg delete devDependencies optionalDependencies
npm pkg delete devDependencies --workspaces
npm ci --omit=dev --ignore-scripts

# `npm pkg` and `npm ci` ran on Node, which wrote its compile cache of npm's own files here.
rm -rf "$NODE_COMPILE_CACHE"
# Node finds a cached file by Node's version, the user's id and the file's path. So this runs as the image's
# user, in the image's folder, and with those of the image's Node arguments that change the compiled code.
# (The size of the young generation, the way in which it is collected, and the kind of CPU were found not to
# change the code.) `--help` imports what a start imports, except for some files that kafkajs loads when a
# request needs them.
compile() {
  setpriv --reuid=65532 --regid=65532 --clear-groups \
    node --heap-growing-percent=150 --no-allocation-site-pretenuring "$workspace/src/main.ts" --help
}
install -d -o 65532 -g 65532 "$NODE_COMPILE_CACHE"
compile >/dev/null
# Node lets only the owner read the files that it wrote. In the image, the owner must be root, and COPY --from
# does not change the owner.
chown -R root:root "$NODE_COMPILE_CACHE"
chmod -R u=rwX,go=rX "$NODE_COMPILE_CACHE"
# If Node cannot read its cache, a process starts more slowly and does not report why. So check here.
if ! NODE_DEBUG_NATIVE=COMPILE_CACHE compile 2>&1 | grep 'reading cache from .* success' >/dev/null; then
  echo "Node does not use its compile cache for $workspace; see NODE_DEBUG_NATIVE=COMPILE_CACHE" >&2
  exit 1
fi
