import { type Readiness, reasonOf } from "@sitewire/runtime"

/** How long a failed batch alone keeps the gateway unready, when the probe finds nothing wrong. */
const distrustMs = 3_000

export type Watch = {
  /** The newest probe failed. */
  away(): boolean
  /** Passes work that needs the part through, and takes note of how it went. A failure asks for a probe at once. */
  note<T>(work: Promise<T>): Promise<T>
  stop(): void
}

/**
 * Keeps readiness true to a part that we depend on. The probe finds out while nobody calls, and that the part is back;
 * the work finds out what a probe cannot see.
 */
export function watchPart(settings: {
  part: string
  /** Rejects while the part is away, within the time that a caller may wait. */
  probe: () => Promise<unknown>
  everyMs: number
  readiness: Readiness
}): Watch {
  const { part, probe, everyMs, readiness } = settings
  let awayWhy: string | null = null
  let failure: { why: string; at: number } | null = null
  let probing = false

  function judge(): void {
    if (failure && performance.now() - failure.at > distrustMs) failure = null
    const why = awayWhy ?? failure?.why
    readiness.set(part, why === undefined, why)
  }

  async function look(): Promise<void> {
    if (probing) return
    probing = true
    awayWhy = await probe().then(() => null, reasonOf)
    probing = false
    judge()
  }

  const timer = setInterval(() => void look(), everyMs)
  judge()
  return {
    away: () => awayWhy !== null,
    async note(work) {
      try {
        const result = await work
        if (failure) {
          failure = null
          judge()
        }
        return result
      } catch (error) {
        failure = { why: reasonOf(error), at: performance.now() }
        judge()
        void look()
        throw error
      }
    },
    stop: () => clearInterval(timer),
  }
}
