import { copyFile, cp, mkdir, readdir, readFile, symlink } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { isNeeded, isNotice, isSource } from "./isNeeded.ts"
import { listPackages } from "./listPackages.ts"
import { makeUniform } from "./makeUniform.ts"

/*
 * Copies what a process needs in production, from a folder where npm has installed everything. The Dockerfile runs it
 * twice for each image, because installed packages change less often than sources. Of the packages that are bundled
 * into the page of the web console, it copies the notices, from which scanners list packages.
 */

const [part, workspace, to = "", ...others] = process.argv.slice(2)
if (!["installed", "notices", "sources"].includes(part ?? "") || !workspace || !to) {
  throw new Error(
    "usage: node deploy/assemble/main.ts installed|notices|sources <workspace> <to> [<other file or folder>...]",
  )
}
const { installed, workspaces } = await listPackages(".", workspace)
if (part === "installed") {
  for (const folder of installed) {
    const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length)
    await copyFiles(folder, (path) => isNeeded(name, path))
  }
} else if (part === "notices") {
  for (const folder of installed) await copyFiles(folder, isNotice)
} else {
  for (const folder of workspaces) {
    await copyFiles(folder, isSource)
    await link(folder)
  }
  for (const other of others) await cp(other, join(to, other), { recursive: true })
}
await makeUniform(to)

/** `keep` gets a file's path relative to the folder. */
async function copyFiles(folder: string, keep: (path: string) => boolean) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name)
    const path = relative(folder, source)
    if (!entry.isFile() || path.includes("node_modules/") || !keep(path)) continue
    await mkdir(dirname(join(to, source)), { recursive: true })
    await copyFile(source, join(to, source))
  }
}

/** Imports of other workspaces go through `node_modules`. */
async function link(folder: string) {
  const { name } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const at = join(to, "node_modules", name)
  await mkdir(dirname(at), { recursive: true })
  await symlink(relative(dirname(at), join(to, folder)), at)
}
