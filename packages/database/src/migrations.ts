import { readFile } from "node:fs/promises"
import { migrationNames } from "./migrationNames.ts"

export type Migration = { name: string; script: string }

/** This version's migrations, oldest first. */
export async function readMigrations(): Promise<Migration[]> {
  const folder = new URL("../../../prisma/migrations/", import.meta.url)
  const read = async (name: string) => ({
    name,
    script: await readFile(new URL(`${name}/migration.sql`, folder), "utf8"),
  })
  return Promise.all((await migrationNames()).map(read))
}
