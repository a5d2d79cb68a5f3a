import type { Server } from "node:http"
import type { Producer } from "@sitewire/kafka"
import type { Logger, Registry } from "@sitewire/runtime"
import { createApp } from "./http/createApp.ts"
import { createHttpServer, type ServerLimits } from "./http/createHttpServer.ts"
import { createGatewayMetrics } from "./metrics.ts"
import { batchTriggers } from "./trigger/batchTriggers.ts"
import { logPublished } from "./trigger/logPublished.ts"
import { createProcessBatch } from "./trigger/processBatch.ts"

export type GatewayParts = {
  limits: ServerLimits & {
    maxWaiting: number
    /** A trigger that waits longer for Postgres or Kafka gets 503. */
    deadlineMs: number
  }
  topic: string
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  publish: Producer["publish"]
  isUnavailable: () => boolean
  unavailablePartitions: () => number
  registry: Registry
  log: Logger
  stopping: AbortSignal
}

/** Long enough to share queries, too short for callers to notice. */
const lingerMs = 3
/** With several small batches, the process works on one while others wait. Two large ones left it idle. */
const maxBatch = 256
const maxRunning = 4

/** Builds the gateway's HTTP server, which does not listen yet. */
export function createGateway(parts: GatewayParts): Server {
  const { limits, topic, readHashes, publish, isUnavailable, unavailablePartitions } = parts
  const { registry, log, stopping } = parts
  const metrics = createGatewayMetrics(registry, { waiting: () => triggers.waiting(), unavailablePartitions })
  const triggers = batchTriggers({
    processBatch: createProcessBatch({
      readHashes,
      publish,
      topic,
      metrics,
      onPublished: (records) => logPublished(log, records),
    }),
    isUnavailable,
    lingerMs,
    maxBatch,
    maxRunning,
    maxWaiting: limits.maxWaiting,
    deadlineMs: limits.deadlineMs,
  })
  return createHttpServer(limits, createApp({ handle: triggers.handle, metrics, log, stopping }))
}
