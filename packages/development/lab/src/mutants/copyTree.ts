import { execFile } from "node:child_process"
import { cp, lstat, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** Files that are not in git, but needed to run tests. */
const generated = ["packages/database/generated"]

/**
 * Copies the work tree, with uncommitted changes, into a temporary folder, so that no fault is left in the
 * original, however the run ends. Third-party packages are links, but the workspace's own packages are those
 * of the copy.
 */
export async function copyTree(root: string): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "sitewire-mutants-"))
  const listed = await promisify(execFile)("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  const files = listed.stdout.split("\0").filter((file) => file !== "")
  for (const file of [...files, ...generated]) {
    // A file that was deleted and not committed is still listed.
    if (await exists(join(root, file))) await cp(join(root, file), join(path, file), { recursive: true })
  }
  await linkInstalled(root, path)
  const manifests = files.filter((file) => /^(packages|services)\/[^/]+\/package\.json$/.test(file))
  for (const folder of manifests.map(dirname)) {
    const own = join(root, folder, "node_modules")
    if (await exists(own)) await symlink(own, join(path, folder, "node_modules"))
  }
  await mkdir(join(root, ".sitewire", "jars"), { recursive: true })
  await mkdir(join(path, ".sitewire"))
  await symlink(join(root, ".sitewire", "jars"), join(path, ".sitewire", "jars"))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

async function linkInstalled(root: string, path: string): Promise<void> {
  const from = join(root, "node_modules")
  const to = join(path, "node_modules")
  await mkdir(to)
  for (const name of await readdir(from)) {
    if (name !== "@sitewire") await symlink(join(from, name), join(to, name))
  }
  // These links are relative and copied unchanged, so they lead to the packages of the copy.
  await cp(join(from, "@sitewire"), join(to, "@sitewire"), { recursive: true, verbatimSymlinks: true })
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}
