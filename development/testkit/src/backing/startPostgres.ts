import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Folder } from "./claimFolder.ts"
import { startDockerPostgres } from "./docker.ts"
import { startLocalPostgres } from "./local/startLocalPostgres.ts"
import { startInDockerOrLocally } from "./startInDockerOrLocally.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/**
 * Uses the Postgres of DATABASE_URL, or else starts one, in Docker or from the installed binaries. Do not log
 * the address, which contains the password.
 */
export function startPostgres(options: BackingOptions): Promise<BackingService> {
  return startInDockerOrLocally({
    ...options,
    service: "postgres",
    name: "Postgres",
    variable: "DATABASE_URL",
    docker: async (folder) => startDockerPostgres({ ...options, folder, password: await passwordOf(folder) }),
    local: async (folder) => startLocalPostgres({ ...options, folder, password: await passwordOf(folder) }),
  })
}

/** Only the owner can read the file. */
async function passwordOf({ path }: Folder): Promise<string> {
  const file = join(path, "password")
  await writeFile(file, randomBytes(16).toString("hex"), { mode: 0o600, flag: "wx" }).catch(() => {})
  return readFile(file, "utf8")
}
