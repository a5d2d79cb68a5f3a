import { sealingVariables } from "@sitewire/database"
import { egressVariables, rangesVariable } from "@sitewire/egress"
import {
  countVariable,
  databaseVariables,
  durationVariable,
  kafkaVariables,
  portVariable,
  retentionBounds,
} from "@sitewire/runtime"
import { z } from "zod"

export const consoleVariables = {
  ...kafkaVariables,
  ...databaseVariables,
  CONSOLE_HOST: z.string().default("127.0.0.1").meta({
    description:
      "IP address on which the management API listens. It must not be reachable from the internet.",
  }),
  CONSOLE_PORT: portVariable(8090, "Port of the management API; 0 chooses a free port."),
  ...sealingVariables,
  GATEWAY_ORIGIN: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(isOrigin, "must be an origin, such as https://hooks.example, without a path")
    .transform((text) => new URL(text).origin)
    .optional()
    .meta({
      description: "Origin of trigger URLs. Default: https:// and the connection's site.",
    }),
  API_REQUESTS_PER_MINUTE: countVariable(
    3_000,
    { min: 1, max: 1_000_000 },
    "How many requests per minute an API key may send to one console. Further requests get 429.",
  ),
  RETENTION: durationVariable(
    "30d",
    "How long dispatchers store deliveries: use their value. A reconciliation checks only younger events.",
    retentionBounds,
  ),
  AUDIT_RETENTION: durationVariable("365d", "How long the audit log is kept.", { min: "1d", max: "3650d" }),
  ALLOW_HTTP: egressVariables.ALLOW_HTTP,
  ALLOWED_RANGES: rangesVariable(
    "Private IP ranges (CIDR, separated by commas) that addresses may use nevertheless.",
  ),
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "IP ranges (CIDR, separated by commas) in which executors of `delegate` connections may be, with http too. Use the scheduler's value.",
  ),
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase()
}
