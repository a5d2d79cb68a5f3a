import type { SeenRequest } from "../outbound/evidence.ts"

/**
 * A GET that was read at the time `at`. `steadyMs` is the same time by the source's monotonic clock, which measures
 * the time between GETs. The GET may have arrived up to `lateMs` earlier, if the source's process got no CPU time.
 */
export type SeenGet = { connection: string; at: number; steadyMs: number; lateMs: number }

/** What the partners' process counted. Times are milliseconds. */
export type PartnersState = {
  /** The numbers of published events that no partner accepted. */
  missing: number[]
  duplicates: number
  forged: number
  /** Requests with another delivery id than an earlier request for the same event. */
  renamed: number
  /** From publishing to the first acceptance by a healthy partner, since the state was read before. */
  p99Ms: number | null
  /** The time of each connection's newest GET. */
  gets: Record<string, number>
  /** The two GETs of one connection that were closest to each other, of which the first may have been read late. */
  closest: { connection: string; gapMs: number; at: number } | null
}

/** `origin`: one of the partners' process. */
export async function readState(origin = "", published: number): Promise<PartnersState> {
  return (await fetch(`${origin}/state/${published}`).then((response) => response.json())) as PartnersState
}

export async function readRequests(origin: string): Promise<SeenRequest[]> {
  const text = await fetch(`${origin}/requests`).then((response) => response.text())
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as SeenRequest)
}
