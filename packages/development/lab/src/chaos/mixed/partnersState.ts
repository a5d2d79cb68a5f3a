/** What the partners' process counted. Times are milliseconds. */
export type PartnersState = {
  missing: number
  firstMissing: number[]
  duplicates: number
  forged: number
  /** From publishing to the first acceptance by a healthy partner, since the state was read before. */
  latency: { p50: number | null; p99: number | null; max: number | null }
  /** The time of each connection's newest GET. */
  gets: Record<string, number>
  /** The two GETs of one connection that were closest to each other, of which the first may have been read late. */
  closest: { connection: string; gapMs: number; first: number; second: number } | null
}

export async function readPartners(url: string, published: number): Promise<PartnersState> {
  const response = await fetch(`${url}/state/${published}`)
  return (await response.json()) as PartnersState
}
