import { egressVariables, rangesVariable } from "@sitewire/egress"
import {
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  processVariables,
  retentionBounds,
} from "@sitewire/runtime"
import { z } from "zod"

/** What the scheduler reads from its environment. */
export const schedulerVariables = {
  ...processVariables,
  ...kafkaVariables,
  ...databaseVariables,
  ...egressVariables,
  SERVICE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, "must be one word of letters and digits")
    .default("Sitewire")
    .meta({ description: "One word that names the service in headers: X-<Service>-Signature." }),
  SYNC_WINDOW: durationVariable(
    "60s",
    "Two syncs of one connection never start closer than this; what is triggered meanwhile becomes one sync.",
  ),
  SYNC_SETTLE: durationVariable("2s", "How long the first trigger waits for others to join its sync."),
  SYNC_DEADLINE: durationVariable("50s", "A sync that takes longer is aborted and counts as failed."),
  SYNC_MAX_BYTES: countVariable(
    50 * 1024 * 1024,
    { min: 1, max: 1024 * 1024 * 1024 },
    "A source's content may be as large, decoded, in bytes.",
  ),
  SYNC_MAX_RUNNING: countVariable(64, { min: 1, max: 10_000 }, "Syncs under way in this process, at most."),
  SYNC_MAX_PER_HOST: countVariable(
    32,
    { min: 1, max: 10_000 },
    "Syncs in flight of one source host, in this process, at most. A host starts with 4 and gets one more with each success.",
  ),
  RETENTION: durationVariable(
    "30d",
    "Records of syncs are deleted when they are older than this, but for each connection's newest.",
    retentionBounds,
  ),
  SYNC_SIGNING_SECRET: z.string().min(1).optional().meta({
    description:
      "Signs the requests to data sources (webhook-id, -timestamp, -signature). Unset: not signed.",
    secret: true,
  }),
  DELEGATE_SECRET: z.string().min(1).optional().meta({
    description: "Signs the requests to the executors of connections that delegate their syncs.",
    secret: true,
  }),
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) in which executors may be called; http: is accepted.",
  ),
}
