import { groupNames, type TopicNames } from "@sitewire/contracts"
import { type Consumer, type ConsumerRecord, type KafkaConnection, startConsumer } from "@sitewire/kafka"
import type { ServiceParts } from "@sitewire/runtime"
import type { dispatcherVariables } from "../config.ts"
import type { Dispatcher } from "../wire.ts"

type Service = Pick<ServiceParts<typeof dispatcherVariables>, "config" | "log" | "lifecycle" | "readiness">
type Handle = (records: ConsumerRecord[], done: (record: ConsumerRecord) => void) => Promise<void>

/** How long recording an outcome takes at most while Postgres and Kafka are available. */
const recordWithinMs = 2_000

export function createConsumers(
  { config, log, lifecycle, readiness }: Service,
  parts: { kafka: KafkaConnection; topics: TopicNames; dispatcher: Dispatcher },
) {
  const { kafka, topics, dispatcher } = parts
  const consumers = new Map<"retries" | "paid", Consumer>()
  let longestDrainMs = Number.POSITIVE_INFINITY

  async function consume(
    group: "paid" | "retries",
    consumed: { topic: string; delayMs?: number }[],
    handle: Handle,
  ): Promise<Consumer> {
    return startConsumer({
      kafka,
      group: groupNames(config.TOPIC_PREFIX)[group],
      topics: consumed,
      maxOutstanding: config.MAX_OUTSTANDING_RECORDS,
      // In larger fetches, records wait so long that they reach V8's old generation.
      fetchBytes: 64 * 1024,
      startDeadlineMs: config.STARTUP_DEADLINE,
      onRecords: (records, done) => void handle(records, done).catch(onUnfinished),
      onHealth: (healthy, why) => readiness.set(`kafka consumer ${group}`, healthy, why),
    })
  }

  function onUnfinished(error: unknown): void {
    if (lifecycle.stopping.aborted) {
      log.info("records are unfinished at the stop; the next process consumes them again")
      return
    }
    log.fatal({ error }, "a record could not be handled; the process stops, so that it is consumed again")
    // Closing would wait for the unfinished record. So wait only until the attempts in flight end and are recorded,
    // and for the 2 s that a consumer reserves to commit and to leave its group.
    longestDrainMs = config.DELIVERY_TIMEOUT + 2 * recordWithinMs
    void lifecycle.stop("a record could not be handled", 1)
  }

  return {
    async start(): Promise<void> {
      const retries = topics.retry.map((topic, step) => ({ topic, delayMs: config.RETRY_DELAYS[step] ?? 0 }))
      consumers.set("retries", await consume("retries", retries, dispatcher.handleRetries))
      consumers.set("paid", await consume("paid", [{ topic: topics.sitePaid }], dispatcher.handleSitePaid))
    },
    outstanding: () => [...consumers.values()].reduce((sum, consumer) => sum + consumer.outstanding(), 0),
    sitePaidLag: async () => consumers.get("paid")?.lag() ?? [],
    /** Closes all consumers at the same time, so that attempts that hang delay the stop only once. */
    close(deadlineMs: number): Promise<unknown> {
      const drainMs = Math.min(deadlineMs, longestDrainMs)
      const closing = [...consumers.values()].map((consumer) => consumer.close(drainMs))
      return Promise.all([dispatcher.close(drainMs), ...closing])
    },
  }
}
