import { sealingVariables } from "@sitewire/database"
import { channelEgressVariables } from "@sitewire/egress"
import {
  booleanVariable,
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
