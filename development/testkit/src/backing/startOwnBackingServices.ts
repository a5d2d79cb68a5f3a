import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import {
  type BackingServices,
  type BackingServicesOptions,
  startBackingServices,
} from "./startBackingServices.ts"
import type { BackingService, StartedBackingService } from "./types.ts"

export type OwnBackingServices = Omit<BackingServices<StartedBackingService>, "stop"> & {
  /** The folder of the services' data. The caller may write other files there. */
  directory: string
  /**
   * Stops the services and removes `directory`, or, with `keepFiles`, only the services' data. A folder that the caller gave is kept.
   */
  stop(options?: { keepFiles?: boolean }): Promise<void>
}

/**
 * Starts a Postgres and a Kafka that the caller may stop and kill, never those that the environment names.
 * Their data is in `folder`, or else in a new folder `<parent>/<name>-…`, and is written with fsync, as in production.
 */
export async function startOwnBackingServices(
  options: Pick<
    BackingServicesOptions,
    "jars" | "brokerCount" | "kafkaVersion" | "kafkaLogin" | "progress"
  > & {
    parent: string
    name: string
    /** Services that had this folder before continue with their data. */
    folder?: string | undefined
    /**
     * Starts processes on this machine instead of containers, so that their CPU time and files can be read.
     */
    withoutDocker: boolean
  },
): Promise<OwnBackingServices> {
  const { parent, name, folder, withoutDocker } = options
  await mkdir(folder ?? parent, { recursive: true })
  const directory = folder ?? (await mkdtemp(join(parent, `${name}-`)))
  const { DATABASE_URL: _, KAFKA_BROKERS: __, ...environment } = process.env
  const env = withoutDocker ? { ...environment, BACKING_SERVICES: "local" } : environment
  try {
    const services = await startBackingServices({ ...options, directory, env, durability: "persistent" })
    return {
      ...services,
      directory,
      postgres: started(services.postgres),
      kafka: services.kafka.map(started),
      async stop({ keepFiles = false } = {}) {
        await services.stop()
        if (folder) return
        const files = keepFiles ? (await readdir(directory)).filter(isServiceData) : [""]
        for (const file of files) await rm(join(directory, file), { recursive: true, force: true })
      },
    }
  } catch (error) {
    if (!folder) await rm(directory, { recursive: true, force: true })
    throw error
  }
}

function started(service: BackingService): StartedBackingService {
  if (service.kind === "given") throw new Error(`${service.address} was not started here`)
  return service
}

const isServiceData = (file: string) => file.startsWith("postgres") || file.startsWith("kafka")
