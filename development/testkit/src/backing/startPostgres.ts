import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chooseDockerOrLocal } from "./chooseDockerOrLocal.ts"
import { claimFolder } from "./claimFolder.ts"
import { startDockerPostgres } from "./docker/startDockerPostgres.ts"
import { startLocalPostgres } from "./local/startLocalPostgres.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/**
 * Uses the Postgres of DATABASE_URL, or else starts one, in Docker or from the installed binaries. Do not log
 * the address, which contains the password.
 */
export async function startPostgres(options: BackingOptions): Promise<BackingService> {
  const given = options.env.DATABASE_URL
  if (given) return { kind: "given", address: given, stop: async () => {} }
  const folder = await claimFolder({ ...options, service: "postgres" })
  try {
    const password = await readOrMakePassword(join(folder.path, "password"))
    return await chooseDockerOrLocal({
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

/** Returns the password in `file`, or stores a new one there. Only the owner can read the file. */
async function readOrMakePassword(file: string) {
  const made = randomBytes(16).toString("hex")
  try {
    await writeFile(file, made, { mode: 0o600, flag: "wx" })
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    return readFile(file, "utf8")
  }
}
