import { readyWithinMs } from "../../deadlines.ts"
import type { Folder } from "../claimFolder.ts"
import { brokerSettings, clusterId, kafkaVersion, nodeSettings, shortSession } from "../kafkaSettings.ts"
import { pickPort } from "../pickPort.ts"
import type { BackingOptions } from "../types.ts"
import { loadTestcontainers, startContainer, volumeName } from "./dockerEngine.ts"

const image = `apache/kafka:${kafkaVersion}`
const data = "/var/lib/kafka/data"

export async function startDockerKafka({
  folder,
  port: wanted,
  durability,
}: { folder: Folder } & Pick<BackingOptions, "port" | "durability">) {
  const { GenericContainer, Wait, host } = await loadTestcontainers()
  // The port is chosen before the start, because the broker must know the address that it advertises.
  const port = await pickPort({ wanted, service: "Kafka" })
  const settings = {
    ...brokerSettings,
    ...shortSession,
    ...nodeSettings({
      data,
      listen: "0.0.0.0:9092",
      advertised: `${host}:${port}`,
      controllers: ["localhost:9093"],
    }),
  }
  const container = new GenericContainer(image)
    .withEnvironment({
      CLUSTER_ID: clusterId,
      KAFKA_HEAP_OPTS: "-Xmx512m",
      ...Object.fromEntries(Object.entries(settings).map(([key, value]) => [environmentName(key), value])),
    })
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .withStartupTimeout(readyWithinMs)
  if (durability === "persistent") {
    const source = await volumeName(folder, "kafka")
    container.withBindMounts([{ source, target: data, mode: "rw" }])
  }
  return startContainer(container, { folder, address: `${host}:${port}` })
}

function environmentName(key: string) {
  return `KAFKA_${key.toUpperCase().replaceAll(".", "_")}`
}
