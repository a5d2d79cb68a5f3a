import { existsSync } from "node:fs"
import { join } from "node:path"
import { claimFolder, type Folder } from "./claimFolder.ts"
import { isDockerAvailable } from "./docker.ts"
import type { BackingOptions, BackingService, Progress } from "./types.ts"

/**
 * Uses the service that the environment names in `variable`, or else starts one in Docker, or, if that fails, as a local
 * process. BACKING_SERVICES=docker or =local allows only one of the two. A service that has local data stays local, because a
 * Docker volume would be empty.
 */
export async function startInDockerOrLocally(
  options: BackingOptions & {
    service: "postgres" | "kafka"
    name: string
    variable: string
    docker: (folder: Folder) => Promise<BackingService>
    local: (folder: Folder) => Promise<BackingService>
  },
): Promise<BackingService> {
  const { env, progress, name, variable, docker, local } = options
  const given = env[variable]
  if (given) return { kind: "given", address: given, stop: async () => {} }
  const allowed = env.BACKING_SERVICES ?? "either"
  if (!["either", "docker", "local"].includes(allowed))
    throw new Error(
      `BACKING_SERVICES is "${allowed}"; it must be docker or local, or unset to try both in this order`,
    )
  const folder = await claimFolder(options)
  const startLocal = () =>
    reportWhileWaiting(progress, `starting ${name} on this machine`, () => local(folder))
  const startDocker = () => reportWhileWaiting(progress, `starting ${name} in Docker`, () => docker(folder))
  try {
    if (allowed === "docker")
      return await startDocker().catch((error) => {
        const advice = `Start Docker, unset BACKING_SERVICES, or set ${variable}.`
        throw new Error(`Docker could not start ${name} (${reasonOf(error)}). ${advice}`, { cause: error })
      })
    const mustBeLocal = allowed === "local" || existsSync(join(folder.path, "data"))
    if (mustBeLocal || !(await isDockerAvailable())) return await startLocal()
    return await startDocker().catch((error) => {
      progress(`Docker could not start ${name} (${reasonOf(error)}); starting it without Docker`)
      return startLocal()
    })
  } catch (error) {
    await folder.release()
    throw error
  }
}

const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n")[0]

export async function reportWhileWaiting<T>(
  progress: Progress,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const began = Date.now()
  progress(what, "waiting")
  const timer = setInterval(
    () => progress(`${what}: ${Math.round((Date.now() - began) / 1000)} s so far`, "waiting"),
    5_000,
  )
  return work().finally(() => clearInterval(timer))
}
