import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { choose } from "./chooseDockerOrLocal.ts"
import { claimFolder } from "./claimFolder.ts"
import { startDockerPostgres } from "./docker/startDockerPostgres.ts"
import { startLocalPostgres } from "./local/startLocalPostgres.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/**
 * A Postgres that accepts connections: the one DATABASE_URL names, or one in Docker, or one of our own binaries.
 * The address of a started one holds its password: do not log it.
 */
export async function startPostgres(options: BackingOptions): Promise<BackingService> {
  const given = options.env.DATABASE_URL
  if (given) return { kind: "given", address: given, stop: async () => {} }
  const folder = await claimFolder({ ...options, service: "postgres" })
  try {
    const password = await keepPassword(join(folder.path, "password"))
    return await choose({
      ...options,
      folder,
      service: "Postgres",
      variable: "DATABASE_URL",
      docker: () => startDockerPostgres({ ...options, folder, password }),
      local: () => startLocalPostgres({ ...options, folder, password }),
    })
  } catch (error) {
    await folder.release()
    throw error
  }
}

/** Made once for the data beside it; only the owner may read it. */
async function keepPassword(file: string) {
  const made = randomBytes(16).toString("hex")
  try {
    await writeFile(file, made, { mode: 0o600, flag: "wx" })
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return readFile(file, "utf8")
  }
}
