import {
  ConfigurationError,
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  portVariable,
  processVariables,
  telemetryVariables,
} from "@sitewire/runtime"
import { z } from "zod"

export const gatewayVariables = {
  ...processVariables,
  ...telemetryVariables,
  ...kafkaVariables,
  ...databaseVariables,
  GATEWAY_HOST: z.string().default("0.0.0.0").describe("Interface on which partners call the trigger URLs."),
  GATEWAY_PORT: portVariable(8080, "Port on which partners call the trigger URLs; 0 picks a free one."),
  GATEWAY_DEADLINE: durationVariable(
    "14s",
    "How long a trigger may wait for Postgres and Kafka before its response is 503. Must be longer than Kafka waits for a broker that does not respond (its broker.session.timeout.ms, 9 s by default), and shorter than the time-outs of proxies in front and of partners (15 s).",
  ),
  GATEWAY_MAX_WAITING: countVariable(
    5_000,
    { min: 1, max: 1_000_000 },
    "Triggers that may wait for Postgres and Kafka at the same time; more get 503 at once.",
  ),
  GATEWAY_MAX_CONNECTIONS: countVariable(
    12_000,
    { min: 1, max: 1_000_000 },
    "Connections of partners or proxies. One more closes the one that has been idle for longest: of those without an accepted trigger if these are more than half, otherwise of those with one. Never one whose trigger waits for Postgres and Kafka, so set it higher than GATEWAY_MAX_WAITING: otherwise such triggers can keep all others out. Each needs a file descriptor and, if idle, 20 KB of memory.",
  ),
  GATEWAY_KEEP_ALIVE: durationVariable(
    "75s",
    "How long an idle connection stays open. Must be longer than the idle time-out of the proxy in front.",
  ),
  GATEWAY_HEADERS_TIMEOUT: durationVariable("10s", "How long a request's header may take to arrive."),
  GATEWAY_REQUEST_TIMEOUT: durationVariable(
    "15s",
    "How long a request, header and body, may take to arrive, and how long its response may stay unread.",
  ),
  GATEWAY_DRAIN_DELAY: durationVariable(
    "3s",
    "How long a stopping gateway goes on accepting triggers, so that the load balancer can remove it first. Must be shorter than SHUTDOWN_DEADLINE, less GATEWAY_DEADLINE and two seconds, within which it goes on for longer while new connections come less than 500 ms apart.",
  ),
}

/** Otherwise a stop would be forced while new triggers are still accepted. */
export function requireTimeToDrain(config: { GATEWAY_DRAIN_DELAY: number; SHUTDOWN_DEADLINE: number }): void {
  const { GATEWAY_DRAIN_DELAY: drainMs, SHUTDOWN_DEADLINE: deadlineMs } = config
  if (drainMs >= deadlineMs)
    throw new ConfigurationError(
      `GATEWAY_DRAIN_DELAY is ${drainMs} ms and SHUTDOWN_DEADLINE ${deadlineMs} ms, so a stop would be forced while triggers ` +
        "are accepted. Set SHUTDOWN_DEADLINE to at least GATEWAY_DEADLINE and two seconds more, and terminationGracePeriodSeconds to more than that.",
    )
}
