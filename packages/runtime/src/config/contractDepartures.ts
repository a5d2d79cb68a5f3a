import { durationSchema, parseDuration } from "@sitewire/contracts"
import { z } from "zod"

const minute = parseDuration("1m")
const hour = parseDuration("1h")

/** Of durations that partners rely on: what the contract promises them, and which values keep it. */
const promises: Record<string, [promise: string, isKept: (ms: number[]) => boolean]> = {
  SYNC_WINDOW: ["at most one sync a minute, which ends within a minute", ([ms]) => ms === minute],
  DELIVERY_TIMEOUT: ["10 seconds for the response", ([ms]) => ms === parseDuration("10s")],
  RETRY_DELAYS: [
    "delays from one minute up to one hour",
    (delays) => delays[0] === minute && delays.at(-1) === hour,
  ],
  RETRY_PERIOD: ["retries over several hours", ([ms = 0]) => ms >= 3 * hour],
}

const durations = z.array(durationSchema)

/** The variables whose values break a promise of the contract with partners. */
export function contractDepartures(env: Record<string, string | undefined>) {
  return Object.entries(promises).flatMap(([variable, [contract, isKept]]) => {
    const values = durations.safeParse(env[variable]?.split(",").map((text) => text.trim()))
    return values.success && !isKept(values.data) ? [{ variable, contract }] : []
  })
}
