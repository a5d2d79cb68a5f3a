import { readdir } from "node:fs/promises"

/** The names of this version's migrations, oldest first. The packed CLI contains them as a list. */
export async function migrationNames(): Promise<string[]> {
  const folder = new URL("../../../prisma/migrations/", import.meta.url)
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}
