import type { Server } from "node:http"
import type { Producer } from "@sitewire/kafka"
import type { Logger, Registry, Tracing } from "@sitewire/runtime"
import { createApp } from "./http/createApp.ts"
import { createHttpServer, type ServerLimits } from "./http/createHttpServer.ts"
import { limitConnections } from "./http/limitConnections.ts"
import { createGatewayMetrics, registerGauges } from "./metrics.ts"
import { batchTriggers } from "./trigger/batchTriggers.ts"
import { createProcessBatch } from "./trigger/processBatch.ts"

export type GatewayParts = {
  limits: ServerLimits & {
    maxConnections: number
    maxWaiting: number
    deadlineMs: number
  }
  topic: string
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  publish: Producer["publish"]
  isUnavailable: () => boolean
  unavailablePartitions: () => number
  registry: Registry
  tracing: Tracing
  log: Logger
  stopping: AbortSignal
}

/** Triggers share one query and one request to Kafka. Without the delay, a hundred triggers a second need twice the CPU time. */
const lingerMs = 20
/** So many do not wait for more. */
const flushAt = 5
/** Several small batches run at once: the process works on one while others wait for Postgres or Kafka. */
const maxBatch = 256
const maxRunning = 4

export function wire(parts: GatewayParts): Server {
  const { limits, topic, readHashes, publish } = parts
  const { isUnavailable, unavailablePartitions, registry, tracing, log, stopping } = parts
  const metrics = createGatewayMetrics(registry)
  const triggers = batchTriggers({
    processBatch: createProcessBatch({ readHashes, publish, topic, metrics, tracing, log }),
    isUnavailable,
    lingerMs,
    flushAt,
    maxBatch,
    maxRunning,
    maxWaiting: limits.maxWaiting,
    deadlineMs: limits.deadlineMs,
  })
  registerGauges(registry, { waiting: triggers.waiting, unavailablePartitions })
  const connections = limitConnections(limits.maxConnections)
  const app = createApp({ handle: triggers.handle, connections, metrics, tracing, log, stopping })
  return createHttpServer(limits, app, connections)
}
