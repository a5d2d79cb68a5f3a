import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { clearFolder } from "./claimFolder.ts"
import { removeVolume } from "./docker.ts"
import type { BackingOptions } from "./types.ts"

/**
 * Removes the data and Docker volumes of persistent services in `directory`, and stops servers that killed
 * runs left. Throws if a running process uses the data.
 */
export async function removeBackingData({
  directory,
  progress,
}: Pick<BackingOptions, "directory" | "progress">) {
  for (const service of ["postgres", "kafka"] as const) {
    const volume = await readFile(join(directory, service, "volume"), "utf8").catch(() => undefined)
    await clearFolder(directory, { service, progress })
    if (volume) await removeVolume(volume).catch((error: Error) => progress(error.message))
  }
}
