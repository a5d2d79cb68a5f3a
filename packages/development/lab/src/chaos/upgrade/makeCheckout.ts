import { execFile } from "node:child_process"
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Checkout, ownCheckout } from "@sitewire/testkit/installation"

const run = promisify(execFile)
const own = fileURLToPath(new URL("../../../../../../", import.meta.url))

/**
 * Copies the files of a git ref, or the tracked files of this checkout as they are now, to `folder`. The copy uses this
 * checkout's node_modules for everything that is not of this repository.
 */
export async function makeCheckout(folder: string, ref: string | undefined): Promise<Checkout> {
  await mkdir(folder, { recursive: true })
  if (ref === undefined) {
    const listed = await run("git", ["ls-files", "-z", "packages", "services", "prisma", "*.json", "*.ts"], {
      cwd: own,
      maxBuffer: 64 << 20,
    })
    for (const file of listed.stdout.split("\0").filter(Boolean)) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await cp(join(own, file), join(folder, file), { recursive: true }).catch(ignoreDeleted)
    }
  } else {
    const archive = join(folder, "archive.tar")
    await run("git", ["archive", "-o", archive, ref], { cwd: own })
    await run("tar", ["-xf", archive, "-C", folder])
    await requireSameDependencies(folder, ref)
  }
  await linkModules(folder)
  await run(process.execPath, ["node_modules/prisma/build/index.js", "generate"], {
    cwd: folder,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: "1" },
  })
  return { ...ownCheckout, root: folder }
}

async function requireSameDependencies(folder: string, ref: string): Promise<void> {
  const external = async (root: string) => {
    const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"))
    return new Set(
      Object.entries(packages as Record<string, { version?: string; link?: boolean }>)
        .filter(([path, { link }]) => path.includes("node_modules/") && !link)
        .map(([path, { version }]) => `${path} ${version}`),
    )
  }
  const here = await external(own)
  const missing = [...(await external(folder))].filter((dependency) => !here.has(dependency))
  if (missing.length > 0)
    throw new Error(
      `${ref} needs dependencies that are not installed here: ${missing.slice(0, 5).join(", ")}. Name a ref whose package-lock.json differs only by additional packages.`,
    )
}

/** Each of our packages resolves to the copy, all others to this checkout's. */
async function linkModules(folder: string): Promise<void> {
  const modules = join(folder, "node_modules")
  await mkdir(join(modules, "@sitewire"), { recursive: true })
  for (const name of await readdir(join(own, "node_modules")))
    if (name !== "@sitewire") await symlink(join(own, "node_modules", name), join(modules, name))
  for (const parent of ["packages", "services"]) {
    for (const name of await readdir(join(folder, parent))) {
      const file = join(folder, parent, name, "package.json")
      const text = await readFile(file, "utf8").catch(() => null)
      if (text === null) continue
      const { name: scoped } = JSON.parse(text) as { name: string }
      await symlink(join(folder, parent, name), join(modules, scoped))
      const nested = join(own, parent, name, "node_modules")
      await symlink(nested, join(folder, parent, name, "node_modules"))
    }
  }
}

/** Adds a migration as a next release could have it. */
export async function addMigration(root: string, name: string, script: string): Promise<void> {
  const folder = join(root, "prisma/migrations", name)
  await mkdir(folder)
  await writeFile(join(folder, "migration.sql"), script)
}

function ignoreDeleted(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error
}
