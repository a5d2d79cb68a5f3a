import { access } from "node:fs/promises"
import { join } from "node:path"
import type { Folder } from "./claimFolder.ts"
import { dockerAnswers } from "./docker/dockerEngine.ts"
import { reporting } from "./reportWhileWaiting.ts"
import type { BackingOptions, StartedBackingService } from "./types.ts"

/**
 * Docker first, then the machine itself. BACKING_SERVICES=docker or =local allows only one of the two.
 * Kept data that a local server wrote stays with the local server: with Docker it would seem to be gone.
 */
export async function choose({
  env,
  progress,
  folder,
  service,
  variable,
  docker,
  local,
}: Pick<BackingOptions, "env" | "progress"> & {
  folder: Folder
  service: string
  variable: string
  docker: () => Promise<StartedBackingService>
  local: () => Promise<StartedBackingService>
}): Promise<StartedBackingService> {
  const wish = env.BACKING_SERVICES
  if (wish !== undefined && wish !== "docker" && wish !== "local") {
    throw new Error(
      `BACKING_SERVICES is "${wish}"; it can be docker or local, or unset to try both in this order`,
    )
  }
  if (wish === "docker") {
    if (!(await dockerAnswers(env))) {
      throw new Error(
        `BACKING_SERVICES is docker, but no Docker daemon answers. Start it, or set ${variable}.`,
      )
    }
    return reporting(progress, `starting ${service} in Docker`, docker).catch((error) => {
      throw new Error(
        `Docker could not start ${service} (${reasonOf(error)}). Unset BACKING_SERVICES or set ${variable}.`,
        { cause: error },
      )
    })
  }
  const madeHere = await access(join(folder.path, "data")).then(
    () => true,
    () => false,
  )
  if (wish === undefined && !madeHere && (await dockerAnswers(env))) {
    try {
      return await reporting(progress, `starting ${service} in Docker`, docker)
    } catch (error) {
      progress(`Docker could not start ${service} (${reasonOf(error)}); starting it without Docker`)
    }
  }
  return reporting(progress, `starting ${service} on this machine`, local)
}

function reasonOf(error: unknown) {
  return (error instanceof Error ? error.message : String(error)).trim().split("\n")[0]
}
