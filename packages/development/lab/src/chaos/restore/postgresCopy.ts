import { execFile } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { ChaosInstallation } from "../startChaosInstallation.ts"

const run = promisify(execFile)

/** A copy of Postgres's data with everything that was committed before `takenAt`. */
export type PostgresCopy = { takenAt: number; folder: string }

/** Stops Postgres for seconds to copy its data. */
export async function copyPostgres(
  it: Pick<ChaosInstallation, "postgres" | "directory">,
): Promise<PostgresCopy> {
  const folder = join(it.directory, "copy-of-postgres")
  await rm(folder, { recursive: true, force: true })
  const takenAt = Date.now()
  await it.postgres.halt("orderly")
  try {
    await run("cp", ["-a", dataOf(it), folder])
  } finally {
    await it.postgres.resume()
  }
  return { takenAt, folder }
}

export async function putBack(
  it: Pick<ChaosInstallation, "postgres" | "directory">,
  { folder }: PostgresCopy,
): Promise<void> {
  await rm(dataOf(it), { recursive: true })
  await run("cp", ["-a", folder, dataOf(it)])
  await it.postgres.resume()
}

const dataOf = ({ directory }: Pick<ChaosInstallation, "directory">) => join(directory, "postgres", "data")
