import { join } from "node:path"
import { choose } from "./chooseDockerOrLocal.ts"
import { claimFolder } from "./claimFolder.ts"
import { startDockerKafka } from "./docker/startDockerKafka.ts"
import { startLocalKafka } from "./local/startLocalKafka.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/**
 * A Kafka broker that serves: the one KAFKA_BROKERS names ("host:port,host:port"), or one in Docker, or one run
 * from its jars with Java. `jars` is where the jars are kept (43 MB, downloaded once); kept and scratch brokers can
 * share it, and without it they are kept in `<directory>/jars`.
 */
export async function startKafka(
  options: BackingOptions & { jars?: string | undefined },
): Promise<BackingService> {
  const given = options.env.KAFKA_BROKERS
  if (given) return { kind: "given", address: given, stop: async () => {} }
  const folder = await claimFolder({ ...options, service: "kafka" })
  const jars = options.jars ?? join(options.directory, "jars")
  try {
    return await choose({
      ...options,
      folder,
      service: "Kafka",
      variable: "KAFKA_BROKERS",
      docker: () => startDockerKafka({ ...options, folder }),
      local: () => startLocalKafka({ ...options, folder, jars }),
    })
  } catch (error) {
    await folder.release()
    throw error
  }
}
