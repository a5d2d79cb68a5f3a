import { sealingVariables } from "@sitewire/database"
import { channelEgressVariables } from "@sitewire/egress"
import {
  booleanVariable,
  type Config,
  ConfigurationError,
  countVariable,
  databaseVariables,
  durationVariable,
  headerVariables,
  kafkaVariables,
  processVariables,
  retentionBounds,
  retryVariables,
  telemetryVariables,
} from "@sitewire/runtime"
import { giveUpAfterMs } from "./retry/scheduleRetry.ts"

export const dispatcherVariables = {
  ...processVariables,
  ...telemetryVariables,
  ...kafkaVariables,
  ...databaseVariables,
  ...sealingVariables,
  ...channelEgressVariables,
  ...retryVariables,
  ...headerVariables,
  DELIVERY_TIMEOUT: durationVariable(
    "10s",
    "From the start of an attempt to the head of the response, including the name lookup.",
  ),
  MAX_OUTSTANDING_RECORDS: countVariable(
    384,
    { min: 1, max: 100_000 },
    "Records consumed from Kafka and not finished, at most. Applies separately to new events, retries and deferred deliveries.",
  ),
  CHANNEL_MAX_CONCURRENCY: countVariable(
    32,
    { min: 1, max: 1_000 },
    "Attempts in flight for one channel in this process, at most.",
  ),
  CHANNEL_MAX_WAIT: durationVariable(
    "250ms",
    "A delivery that would wait longer than this for a permit of its channel is deferred until the channel has capacity.",
  ),
  BREAKER_FAILURES: countVariable(
    20,
    { min: 1, max: 10_000 },
    "Failed attempts in a row that open a channel's circuit breaker.",
  ),
  OVERDUE_AFTER: durationVariable(
    "5m",
    "A pending delivery that is overdue by more than this is deferred, because its record seems to be lost. At least DELIVERY_TIMEOUT and 20 s.",
  ),
  BREAKER_COOLDOWN: durationVariable(
    "30s",
    "How long an open circuit breaker waits before it admits a probe.",
  ),
  PUBLISH_OUTCOMES: booleanVariable(
    "Publish what became of each delivery to the topic site.ready.outcome, for the services that publish site.paid.",
  ),
  RETENTION: durationVariable(
    "30d",
    "Deliveries and their attempts are deleted when the day on which their event was published (UTC) is older than this, except deliveries that wait for an attempt.",
    retentionBounds,
  ),
}

/** Rejects a time in which an attempt can be in flight and publish its retry, because the sweep would cause a second attempt. */
export function overdueAfter(config: Config<typeof dispatcherVariables>): number {
  const { OVERDUE_AFTER: overdueMs, DELIVERY_TIMEOUT: timeoutMs } = config
  const least = timeoutMs + giveUpAfterMs
  if (overdueMs >= least) return overdueMs
  throw new ConfigurationError(
    `OVERDUE_AFTER is shorter than an attempt, so deliveries could be sent twice. Set OVERDUE_AFTER=${least / 1_000}s or more: DELIVERY_TIMEOUT and ${giveUpAfterMs / 1_000} s.`,
  )
}
