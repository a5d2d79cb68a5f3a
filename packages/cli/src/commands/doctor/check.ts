import { clockMarginMs } from "@sitewire/contracts"
import { z } from "zod"
import { duration } from "../../output/time.ts"

export const checkSchema = z
  .object({
    name: z.string(),
    state: z.enum(["ok", "warning", "fault", "not_checked"]),
    detail: z.string(),
    /** What to do. Null: nothing. */
    advice: z.string().nullable(),
  })
  .meta({ id: "Check" })

export type Check = z.infer<typeof checkSchema>

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail, advice: null })

export const warning = (name: string, detail: string, advice: string): Check => ({
  name,
  state: "warning",
  detail,
  advice,
})

export const fault = (name: string, detail: string, advice: string): Check => ({
  name,
  state: "fault",
  detail,
  advice,
})

export const notChecked = (name: string, detail: string, advice: string | null = null): Check => ({
  name,
  state: "not_checked",
  detail,
  advice,
})

/** Clocks that are synchronised differ by less. */
const usualDifferenceMs = 2_000

/** `aheadMs`: how far the other clock is ahead of this machine's, give or take `uncertaintyMs`. */
export function compareClocks(
  name: string,
  { aheadMs, uncertaintyMs }: { aheadMs: number; uncertaintyMs: number },
): Check {
  const difference = Math.max(0, Math.abs(aheadMs) - uncertaintyMs)
  if (difference <= usualDifferenceMs) return ok(name, "agrees with this machine's clock")
  const detail = `${duration(difference)} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's clock`
  const advice = "Synchronise both clocks (NTP). If all clocks below differ alike, this machine's is wrong."
  return difference > clockMarginMs
    ? fault(name, `${detail}; at most ${duration(clockMarginMs)} is tolerated`, advice)
    : warning(name, detail, advice)
}

/** Reads another clock. It was read somewhere between the request and the response. */
export async function measureClock(
  read: () => Promise<Date>,
  resolutionMs = 0,
): Promise<{ aheadMs: number; uncertaintyMs: number }> {
  const before = Date.now()
  const other = await read()
  const after = Date.now()
  const middle = (before + after) / 2
  return {
    aheadMs: other.getTime() + resolutionMs / 2 - middle,
    uncertaintyMs: (after - before) / 2 + resolutionMs / 2,
  }
}
