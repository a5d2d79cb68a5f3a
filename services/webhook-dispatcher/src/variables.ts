import { sealingVariables } from "@sitewire/database"
import { egressVariables } from "@sitewire/egress"
import {
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  processVariables,
  retentionBounds,
  retryVariables,
} from "@sitewire/runtime"
import { z } from "zod"

/** What the dispatcher reads from its environment. */
export const dispatcherVariables = {
  ...processVariables,
  ...kafkaVariables,
  ...databaseVariables,
  ...sealingVariables,
  ...egressVariables,
  ...retryVariables,
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, "must be one word of letters and digits")
    .default("Sitewire")
    .meta({ description: "One word that names the service in headers: X-<Service>-Signature." }),
  DELIVERY_TIMEOUT: durationVariable(
    "10s",
    "From an attempt's start to the head of the answer, name lookup included.",
  ),
  MAX_OUTSTANDING_RECORDS: countVariable(
    384,
    { min: 1, max: 100_000 },
    "Records consumed from Kafka and not finished, at most: of new events, as many again of retries, and of deferred deliveries.",
  ),
  CHANNEL_MAX_CONCURRENCY: countVariable(
    32,
    { min: 1, max: 1_000 },
    "Attempts in flight for one channel in this process, at most.",
  ),
  CHANNEL_MAX_WAIT: durationVariable(
    "250ms",
    "A delivery that would wait longer than this for its channel is deferred: its row carries it until the channel has capacity.",
  ),
  BREAKER_FAILURES: countVariable(
    20,
    { min: 1, max: 10_000 },
    "Failures in a row that open a channel's breaker.",
  ),
  OVERDUE_AFTER: durationVariable(
    "5m",
    "A pending delivery that is overdue by more than this is deferred, as no record seems to carry it.",
    { min: "100ms" },
  ),
  BREAKER_COOLDOWN: durationVariable("30s", "How long an open breaker waits before it lets a probe through."),
  RETENTION: durationVariable(
    "30d",
    "Deliveries and their attempts are deleted when they are older than this. Those that wait for an attempt are kept.",
    retentionBounds,
  ),
}
