import { execFile } from "node:child_process"
import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)
export const root = fileURLToPath(new URL("../../../../", import.meta.url))

/**
 * Copies the work tree, with uncommitted changes, or the files of a git ref, to a new `folder`. Packages of third parties
 * are links to this checkout's, and each of our packages is the copy's.
 */
export async function copyCheckout(folder: string, ref?: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  if (ref === undefined) {
    const list = ["ls-files", "-z", "-co", "--exclude-standard"]
    const { stdout } = await run("git", list, { cwd: root, maxBuffer: 64 << 20 })
    for (const file of [...stdout.split("\0").filter(Boolean), "packages/database/generated"]) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      // A file that was deleted and not committed is still listed.
      await cp(join(root, file), join(folder, file), { recursive: true }).catch(ignore("ENOENT"))
    }
  } else {
    const archive = join(folder, "archive.tar")
    await run("git", ["archive", "-o", archive, ref], { cwd: root })
    await run("tar", ["-xf", archive, "-C", folder])
    await requireSameDependencies(folder, ref)
  }
  await linkModules(folder)
  await mkdir(join(folder, ".sitewire"))
  await symlink(join(root, ".sitewire/jars"), join(folder, ".sitewire/jars"))
  if (ref === undefined) return
  const prisma = ["node_modules/prisma/build/index.js", "generate", "--schema", "prisma/schema.prisma"]
  const settings = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" }
  await run(process.execPath, prisma, { cwd: folder, env: { ...process.env, ...settings } })
}

/** The path of each package in package-lock.json, and whether it is one of ours. */
async function lockedPackages(folder: string) {
  const { packages } = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"))
  return Object.entries(packages as Record<string, { version?: string; link?: boolean; resolved?: string }>)
}

async function requireSameDependencies(folder: string, ref: string): Promise<void> {
  const external = async (of: string) =>
    (await lockedPackages(of))
      .filter(([path, { link }]) => path.includes("node_modules/") && !link)
      .map(([path, { version }]) => `${path} ${version}`)
  const here = new Set(await external(root))
  const missing = (await external(folder)).filter((dependency) => !here.has(dependency))
  if (missing.length > 0)
    throw new Error(
      `${ref} needs dependencies that are not installed here: ${missing.slice(0, 5).join(", ")}. Name a ref whose package-lock.json differs only by additional packages.`,
    )
}

async function linkModules(folder: string): Promise<void> {
  const modules = join(folder, "node_modules")
  await mkdir(join(modules, "@sitewire"), { recursive: true })
  for (const name of await readdir(join(root, "node_modules")))
    if (name !== "@sitewire") await symlink(join(root, "node_modules", name), join(modules, name))
  for (const [path, { link, resolved }] of await lockedPackages(folder)) {
    if (!link || resolved === undefined) continue
    await symlink(join(folder, resolved), join(folder, path))
    // A package's own node_modules, where it needs another version than the others.
    await symlink(join(root, resolved, "node_modules"), join(folder, resolved, "node_modules"))
  }
}

const ignore = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}
