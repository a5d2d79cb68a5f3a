import { readSealingKeys } from "@sitewire/database"
import { parsePolicy } from "@sitewire/egress"
import {
  databaseVariables,
  egressVariables,
  kafkaVariables,
  listVariable,
  portVariable,
  sealingVariables,
} from "@sitewire/runtime"
import { z } from "zod"

const notRanges = "must be CIDR ranges such as 10.20.0.0/16, separated by commas"

/** What the console reads from the environment, beside what every process does. */
export const consoleVariables = {
  ...kafkaVariables,
  ...databaseVariables,
  CONSOLE_HOST: z
    .string()
    .default("127.0.0.1")
    .meta({ description: "Address on which the management API listens. Not one that the internet reaches." }),
  CONSOLE_PORT: portVariable(8090, "Port of the management API; 0 picks a free one."),
  SEALING_KEYS: sealingVariables.SEALING_KEYS.transform((text, context) => {
    try {
      return readSealingKeys(text)
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  }).meta({ ...sealingVariables.SEALING_KEYS.meta() }),
  GATEWAY_ORIGIN: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine(isOrigin, "must be an origin, such as https://hooks.example, without a path")
    .transform((text) => new URL(text).origin)
    .optional()
    .meta({
      description: "Where partners reach the gateway. Not set: https:// and the connection's own site.",
    }),
  ALLOW_HTTP: egressVariables.ALLOW_HTTP,
  ALLOWED_RANGES: egressVariables.ALLOWED_RANGES.refine(areRanges, notRanges).meta({
    description:
      "Address ranges (CIDR, separated by commas) that are accepted in addresses although they are private.",
  }),
  DELEGATE_ALLOWED_RANGES: listVariable("").prefault("").refine(areRanges, notRanges).meta({
    description:
      "Address ranges (CIDR, separated by commas) in which executors of connections that delegate are accepted; with http: too. The scheduler's value.",
  }),
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, "").toLowerCase()
}

function areRanges(ranges: string[]): boolean {
  try {
    parsePolicy({ allow: ranges, allowHttp: false })
    return true
  } catch {
    return false
  }
}
