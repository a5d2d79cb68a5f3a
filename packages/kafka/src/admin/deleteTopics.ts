import { setTimeout as sleep } from "node:timers/promises"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { hasTopic } from "../client/workarounds/listTopicsNeedsAllLeaders.ts"
import { isProtocolError } from "../client/isProtocolError.ts"
import { withAdmin } from "./withAdmin.ts"

const goneWithinMs = 30_000

/**
 * Deletes topics with all that they contain. Resolves once the cluster no longer names them, so that they can be created
 * again. A topic that does not exist is no error.
 */
export function deleteTopics(kafka: KafkaConnection, names: readonly string[]): Promise<void> {
  return withAdmin(kafka, 10_000, async (admin) => {
    // One by one: a missing topic would fail the whole request.
    for (const name of names)
      await admin.deleteTopics({ topics: [name] }).catch((error: unknown) => {
        if (!isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) throw error
      })
    const until = Date.now() + goneWithinMs
    for (const name of names)
      while (await hasTopic(admin, name)) {
        if (Date.now() > until)
          throw new Error(`Topic ${name} still exists ${goneWithinMs} ms after its deletion.`)
        await sleep(50)
      }
  })
}
