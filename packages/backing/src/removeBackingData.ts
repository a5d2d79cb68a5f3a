import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { clearFolder } from "./claimFolder.ts"
import { removeVolume } from "./docker/dockerEngine.ts"
import type { BackingOptions } from "./types.ts"

/**
 * Removes what kept services left in `directory`: their data, processes of killed runs, Docker volumes. The
 * downloaded jars stay. Throws when a living process uses them.
 */
export async function removeBackingData({
  directory,
  env,
  progress,
}: Pick<BackingOptions, "directory" | "env" | "progress">) {
  for (const service of ["postgres", "kafka"] as const) {
    const volume = await readFile(join(directory, service, "volume"), "utf8").catch(() => undefined)
    await clearFolder({ directory, service, progress })
    if (volume && !(await removeVolume(env, volume))) {
      progress(`Docker's volume ${volume} is still there: no daemon answered`)
    }
  }
}
