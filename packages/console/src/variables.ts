import { sealingVariables } from "@sitewire/database"
import { egressVariables, rangesVariable } from "@sitewire/egress"
import { databaseVariables, kafkaVariables, portVariable } from "@sitewire/runtime"
import { z } from "zod"

/** What the console reads from the environment, beside what every process does. */
export const consoleVariables = {
  ...kafkaVariables,
  ...databaseVariables,
  CONSOLE_HOST: z
    .string()
    .default("127.0.0.1")
    .meta({ description: "Address on which the management API listens. Not one that the internet reaches." }),
  CONSOLE_PORT: portVariable(8090, "Port of the management API; 0 picks a free one."),
  ...sealingVariables,
  GATEWAY_ORIGIN: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(isOrigin, "must be an origin, such as https://hooks.example, without a path")
    .transform((text) => new URL(text).origin)
    .optional()
    .meta({
      description: "Where partners reach the gateway. Not set: https:// and the connection's own site.",
    }),
  ALLOW_HTTP: egressVariables.ALLOW_HTTP,
  ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that are accepted in addresses although they are private.",
  ),
  DELEGATE_ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) in which executors of connections that delegate are accepted; with http: too. The scheduler's value.",
  ),
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase()
}
