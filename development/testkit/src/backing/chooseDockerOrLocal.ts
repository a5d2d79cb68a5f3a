import { join } from "node:path"
import type { Folder } from "./claimFolder.ts"
import { isDockerAvailable } from "./docker/dockerEngine.ts"
import { exists } from "./exists.ts"
import { reportWhileWaiting } from "./reportWhileWaiting.ts"
import type { BackingOptions, StartedBackingService } from "./types.ts"

/**
 * Starts a service in Docker, or, if that fails, as a local process. BACKING_SERVICES=docker or =local allows
 * only one of the two. A service that has local data stays local, because a Docker volume would be empty.
 */
export async function chooseDockerOrLocal(
  options: Pick<BackingOptions, "env" | "progress"> & {
    folder: Folder
    service: string
    variable: string
    docker: () => Promise<StartedBackingService>
    local: () => Promise<StartedBackingService>
  },
): Promise<StartedBackingService> {
  const { env, progress, folder, service, variable, docker, local } = options
  const allowed = env.BACKING_SERVICES
  if (allowed !== undefined && allowed !== "docker" && allowed !== "local") {
    throw new Error(
      `BACKING_SERVICES is "${allowed}"; it must be docker or local, or unset to try both in this order`,
    )
  }
  if (allowed === "docker") {
    if (!(await isDockerAvailable(env))) {
      throw new Error(
        `BACKING_SERVICES is docker, but no Docker daemon responds. Start it, or set ${variable}.`,
      )
    }
    return reportWhileWaiting(progress, `starting ${service} in Docker`, docker).catch((error) => {
      throw new Error(
        `Docker could not start ${service} (${reasonOf(error)}). Unset BACKING_SERVICES or set ${variable}.`,
        { cause: error },
      )
    })
  }
  const hasLocalData = await exists(join(folder.path, "data"))
  if (allowed === undefined && !hasLocalData && (await isDockerAvailable(env))) {
    try {
      return await reportWhileWaiting(progress, `starting ${service} in Docker`, docker)
    } catch (error) {
      progress(`Docker could not start ${service} (${reasonOf(error)}); starting it without Docker`)
    }
  }
  return reportWhileWaiting(progress, `starting ${service} on this machine`, local)
}

function reasonOf(error: unknown) {
  return (error instanceof Error ? error.message : String(error)).trim().split("\n")[0]
}
