import { join } from "node:path"
import { chooseDockerOrLocal } from "./chooseDockerOrLocal.ts"
import { claimFolder } from "./claimFolder.ts"
import { startDockerKafka } from "./docker/startDockerKafka.ts"
import { startLocalKafka } from "./local/startLocalKafka.ts"
import type { BackingOptions, BackingService } from "./types.ts"

/**
 * Uses the brokers of KAFKA_BROKERS ("host:port,host:port"), or else starts one, in Docker or in a local
 * Java.
 */
export async function startKafka(
  options: BackingOptions & { jars?: string | undefined },
): Promise<BackingService> {
  const given = options.env.KAFKA_BROKERS
  if (given) return { kind: "given", address: given, stop: async () => {} }
  const folder = await claimFolder({ ...options, service: "kafka" })
  const jars = options.jars ?? join(options.directory, "jars")
  try {
    return await chooseDockerOrLocal({
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
