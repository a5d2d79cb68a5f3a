import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { homedir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { GenericContainer, StartedTestContainer } from "testcontainers"
import { endWithinMs } from "../../deadlines.ts"
import type { Folder } from "../claimFolder.ts"
import type { BackingOptions, StartedBackingService } from "../types.ts"

type Env = BackingOptions["env"]

export async function isDockerAvailable(env: Env) {
  const statuses = await Promise.all(endpoints(env).map((to) => call({ to, method: "GET", path: "/_ping" })))
  return statuses.some((status) => status === 200)
}

/** Removes a persistent service's volume. Returns whether a daemon confirms that the volume is gone. */
export async function removeVolume(env: Env, name: string) {
  const path = `/volumes/${name}`
  const statuses = await Promise.all(endpoints(env).map((to) => call({ to, method: "DELETE", path })))
  return statuses.some((status) => status === 204 || status === 404)
}

/**
 * A persistent service's data is in a Docker volume, whose name is stored in `folder`. In an ordinary folder,
 * the files would belong to the image's account, and the user could not remove them.
 */
export async function volumeName(folder: Folder, service: string) {
  const file = join(folder.path, "volume")
  const stored = await readFile(file, "utf8").catch(() => undefined)
  if (stored) return stored
  const name = `sitewire-${service}-${randomBytes(6).toString("hex")}`
  await writeFile(file, name)
  return name
}

export async function startContainer(
  container: GenericContainer,
  { folder, address }: { folder: Folder; address: string },
): Promise<StartedBackingService> {
  const starting = container.start()
  const started = await Promise.race([starting, sleep(pullDeadlineMs, undefined, { ref: false })])
  if (!started) {
    void starting.then((late) => late.stop()).catch(() => {})
    throw new Error(`it took more than ${pullDeadlineMs / 60_000} minutes`)
  }
  return {
    kind: "docker",
    address,
    pid: undefined,
    stop: async () => {
      await started.stop({ timeout: endWithinMs, removeVolumes: true })
      await folder.release()
    },
    halt: async (how = "orderly") => {
      const engine = await engineContainer(started)
      await (how === "kill" ? engine.kill() : engine.stop({ t: 20 }))
    },
    resume: () => started.restart(),
  }
}

/**
 * Imports testcontainers only when Docker is used, because loading it takes half a second. `host` is where
 * Docker publishes the ports of containers.
 */
export async function loadTestcontainers() {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import("testcontainers")
  const { info } = await getContainerRuntimeClient()
  return { GenericContainer, Wait, host: info.containerRuntime.host }
}

const pullDeadlineMs = 5 * 60_000

async function engineContainer(started: StartedTestContainer) {
  const { getContainerRuntimeClient } = await import("testcontainers")
  return (await getContainerRuntimeClient()).container.getById(started.getId())
}

type Endpoint = { socketPath: string } | { host: string; port: number }

function endpoints(env: Env): Endpoint[] {
  if (env.DOCKER_HOST) {
    const url = URL.parse(env.DOCKER_HOST)
    if (url?.protocol === "unix:") return [{ socketPath: url.pathname }]
    if (url?.protocol === "tcp:" || url?.protocol === "http:") {
      return [{ host: url.hostname, port: Number(url.port || 2375) }]
    }
    return []
  }
  const sockets = ["/var/run/docker.sock", join(homedir(), ".docker", "run", "docker.sock")]
  if (env.XDG_RUNTIME_DIR) sockets.push(join(env.XDG_RUNTIME_DIR, "docker.sock"))
  return sockets.map((socketPath) => ({ socketPath }))
}

function call({ to, method, path }: { to: Endpoint; method: string; path: string }) {
  return new Promise<number | undefined>((resolve) => {
    const sent = request({ ...to, method, path, timeout: 1_500, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once("timeout", () => sent.destroy())
    sent.once("error", () => resolve(undefined))
    sent.end()
  })
}
