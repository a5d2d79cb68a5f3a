import { join } from "node:path"
import { startDockerKafka } from "./docker.ts"
import { startLocalKafka } from "./local/startLocalKafka.ts"
import { startInDockerOrLocally } from "./startInDockerOrLocally.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/** Uses the brokers of KAFKA_BROKERS ("host:port,host:port"), or else starts one, in Docker or in a local Java. */
export function startKafka(options: BackingOptions & { jars?: string | undefined }): Promise<BackingService> {
  const jars = options.jars ?? join(options.directory, "jars")
  return startInDockerOrLocally({
    ...options,
    service: "kafka",
    name: "Kafka",
    variable: "KAFKA_BROKERS",
    docker: (folder) => startDockerKafka({ ...options, folder }),
    local: (folder) => startLocalKafka({ ...options, folder, jars }),
  })
}
