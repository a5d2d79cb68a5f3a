import {
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  portVariable,
  processVariables,
} from "@sitewire/runtime"
import { z } from "zod"

/** The gateway's environment. The tables of the README and the manifests are written from it. */
export const gatewayVariables = {
  ...processVariables,
  ...kafkaVariables,
  ...databaseVariables,
  GATEWAY_HOST: z
    .string()
    .default("0.0.0.0")
    .meta({ description: "Address on which partners' triggers are taken." }),
  GATEWAY_PORT: portVariable(8080, "Port on which partners' triggers are taken; 0 picks a free one."),
  GATEWAY_DEADLINE: durationVariable(
    "2s",
    "How long a trigger may wait for Postgres and Kafka before it is answered 503.",
  ),
  GATEWAY_MAX_WAITING: countVariable(
    5_000,
    { min: 1, max: 1_000_000 },
    "Triggers that may wait at the same time; more are answered 503 at once.",
  ),
  GATEWAY_MAX_CONNECTIONS: countVariable(
    12_000,
    { min: 1, max: 1_000_000 },
    "Connections of partners or proxies. One more closes the one that has been idle for longest, or is closed itself if none is idle. Each needs a file descriptor and, idle, 20 KB.",
  ),
  GATEWAY_KEEP_ALIVE: durationVariable(
    "75s",
    "How long an idle connection is kept. Must be longer than the proxy in front keeps its own.",
  ),
  GATEWAY_HEADERS_TIMEOUT: durationVariable("10s", "How long a request's header may take to arrive."),
  GATEWAY_REQUEST_TIMEOUT: durationVariable(
    "15s",
    "How long a request, header and body, may take to arrive, and its answer to be read.",
  ),
  GATEWAY_DRAIN_DELAY: durationVariable(
    "3s",
    "How long a stopping gateway goes on taking triggers, so that it can be taken out of the balancing first. It goes on for longer, within SHUTDOWN_DEADLINE, while new connections come less than 500 ms apart.",
  ),
}
