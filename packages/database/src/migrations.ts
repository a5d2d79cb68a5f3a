import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const prismaFolder = new URL("../../../prisma/", import.meta.url)

export function readSchema(): Promise<string> {
  return readFile(new URL("schema.prisma", prismaFolder), "utf8")
}

export async function readMigrations() {
  const folder = new URL("migrations/", prismaFolder)
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  const migrationDirectories = await Promise.all(
    names.map(async (path) => ({
      path,
      migrationFile: {
        path: "migration.sql",
        content: {
          tag: "ok" as const,
          value: await readFile(new URL(`${path}/migration.sql`, folder), "utf8"),
        },
      },
    })),
  )
  return {
    baseDir: fileURLToPath(folder),
    lockfile: {
      path: "migration_lock.toml",
      content: await readFile(new URL("migration_lock.toml", folder), "utf8"),
    },
    shadowDbInitScript: "",
    migrationDirectories,
  }
}
