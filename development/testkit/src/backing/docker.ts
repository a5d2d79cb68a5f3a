import { randomBytes } from "node:crypto"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { GenericContainer } from "testcontainers"
import { endWithinMs, readyWithinMs } from "../deadlines.ts"
import type { Folder } from "./claimFolder.ts"
import { brokerSettings, clusterId, kafkaVersion, nodeSettings } from "./kafkaSettings.ts"
import { postgresName, unsafe } from "./local/startLocalPostgres.ts"
import { pickPort } from "./pickPort.ts"
import type { BackingOptions, BackingService } from "./types.ts"

type Options = { folder: Folder } & Pick<BackingOptions, "port" | "durability">

/** Rejects if no Docker daemon responds. Imports testcontainers only then, because loading it takes half a second. */
async function connectDocker() {
  const { GenericContainer, Wait, getContainerRuntimeClient } = await import("testcontainers")
  const { info, container } = await getContainerRuntimeClient()
  // `host` is where Docker publishes the ports of containers.
  return { GenericContainer, Wait, host: info.containerRuntime.host, engine: container.dockerode }
}

export const isDockerAvailable = () =>
  connectDocker().then(
    () => true,
    () => false,
  )

/** Rejects if no daemon confirms that the volume is gone. */
export async function removeVolume(name: string): Promise<void> {
  const advice = `Docker's volume ${name} was not removed: start Docker, or remove it with docker volume rm`
  const { engine } = await connectDocker().catch((cause) => Promise.reject(new Error(advice, { cause })))
  await engine
    .getVolume(name)
    .remove()
    .catch((error: { statusCode?: number }) => {
      if (error.statusCode !== 404) throw new Error(advice, { cause: error })
    })
}

export async function startDockerPostgres({
  folder,
  password,
  port: wanted,
  durability,
}: Options & { password: string }): Promise<BackingService> {
  const { GenericContainer, Wait, host } = await connectDocker()
  const port = await pickPort({ wanted, service: "Postgres" })
  const container = new GenericContainer("postgres:18-alpine")
    .withEnvironment({
      POSTGRES_USER: postgresName,
      POSTGRES_DB: postgresName,
      POSTGRES_PASSWORD: password,
      PGDATA: "/var/lib/postgresql/data/main",
    })
    .withExposedPorts({ container: 5432, host: port })
    // The check uses TCP, because the image first runs a temporary server, which listens on the Unix socket only.
    .withHealthCheck({
      test: ["CMD-SHELL", `pg_isready -h 127.0.0.1 -U ${postgresName}`],
      interval: 250,
      timeout: 2_000,
      retries: 400,
    })
    .withWaitStrategy(Wait.forHealthCheck())
    .withCommand(["postgres", "-c", "max_connections=200", ...(durability === "scratch" ? unsafe : [])])
  const address = `postgres://${postgresName}:${password}@${host}:${port}/${postgresName}`
  return startContainer(container, { folder, durability, data: "/var/lib/postgresql/data", address })
}

export async function startDockerKafka({
  folder,
  port: wanted,
  durability,
}: Options): Promise<BackingService> {
  const { GenericContainer, Wait, host } = await connectDocker()
  // The port is chosen before the start, because the broker must know the address that it advertises.
  const port = await pickPort({ wanted, service: "Kafka" })
  const [data, address] = ["/var/lib/kafka/data", `${host}:${port}`]
  const node = { data, listen: "0.0.0.0:9092", advertised: address, controllers: ["localhost:9093"] }
  const variables = Object.entries({ ...brokerSettings, ...nodeSettings(node) }).map(([key, value]) => [
    `KAFKA_${key.toUpperCase().replaceAll(".", "_")}`,
    value,
  ])
  const container = new GenericContainer(`apache/kafka:${kafkaVersion}`)
    .withEnvironment({
      CLUSTER_ID: clusterId,
      KAFKA_HEAP_OPTS: "-Xmx512m",
      ...Object.fromEntries(variables),
    })
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
  return startContainer(container, { folder, durability, data, address })
}

/**
 * A persistent service's data is in a volume, whose name is stored in the folder. In an ordinary folder, the files would belong
 * to the image's account, and the user could not remove them.
 */
async function startContainer(
  container: GenericContainer,
  {
    folder,
    durability,
    data,
    address,
  }: Pick<Options, "folder" | "durability"> & { data: string; address: string },
): Promise<BackingService> {
  if (durability === "persistent") {
    const file = join(folder.path, "volume")
    const fresh = `sitewire-${randomBytes(6).toString("hex")}`
    await writeFile(file, fresh, { flag: "wx" }).catch(() => {})
    container.withBindMounts([{ source: await readFile(file, "utf8"), target: data, mode: "rw" }])
  }
  const started = await container.withStartupTimeout(readyWithinMs).start()
  return {
    kind: "docker",
    address,
    async stop() {
      await started.stop({ timeout: endWithinMs, removeVolumes: true })
      await folder.release()
    },
  }
}
