import { setTimeout as sleep } from "node:timers/promises"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { isProtocolError } from "../client/isProtocolError.ts"
import { topicExists } from "./requireTopics.ts"
import { withAdmin } from "./withAdmin.ts"

const deletedWithinMs = 30_000

/** Resolves once the topics can be created again. A missing topic is no error. */
export function deleteTopics(kafka: KafkaConnection, names: readonly string[]): Promise<void> {
  return withAdmin(kafka, 10_000, async (admin) => {
    // One request for each topic, because one missing topic fails the whole request.
    for (const name of names)
      await admin.deleteTopics({ topics: [name] }).catch((error: unknown) => {
        if (!isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) throw error
      })
    const until = performance.now() + deletedWithinMs
    for (const name of names)
      while (await topicExists(admin, name)) {
        if (performance.now() > until)
          throw new Error(`Topic ${name} still exists ${deletedWithinMs} ms after it was deleted. Try again.`)
        await sleep(50)
      }
  })
}
