import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { stepErasure } from "./erasure/erasureStep.ts"
import type { StepParts } from "./job.ts"
import { stepReplay } from "./replay/replayStep.ts"
import { stepResend } from "./resend/resendStep.ts"
import { takeStep } from "./runStep.ts"

const steppers = { resend: stepResend, replay: stepReplay, erasure: stepErasure }

/** How often to look for jobs: seldom, except while there was one lately, whose pace depends on it. */
const lookEveryMs = 1_000
const lookOftenMs = 25
const latelyMs = 3_000
/** A job whose step could not be taken is passed over for this long, and the others go on. */
const restMs = 2_000

/**
 * Works the jobs off, one step at a time, until it is closed; any number of consoles may do so at once. Everything that
 * a job needs to go on is in its row, so a restart, or another console, takes the next step.
 */
export function runJobs(settings: { pool: Pool; parts: Omit<StepParts, "sql">; log: Logger }): {
  close(): Promise<void>
} {
  const { pool, parts, log } = settings
  const closing = new AbortController()
  const { signal } = closing
  const resting = new Map<string, number>()
  let databaseAway = false

  async function step(): Promise<"more" | "nothing"> {
    for (const [id, until] of resting) if (until <= Date.now()) resting.delete(id)
    const taken = await takeStep(pool, steppers, parts, [...resting.keys()])
    if (taken.kind === "nothing") return "nothing"
    const { id, kind } = taken.job
    if (taken.kind === "stepped") {
      if (taken.done) log.info({ job: id, kind, counts: taken.counts }, "job done")
      return "more"
    }
    resting.set(id, Date.now() + restMs)
    if (taken.kind === "away") log.warn({ job: id, kind, why: taken.why }, "a job waits for Kafka")
    else log.error({ job: id, kind, error: taken.error }, "a step of a job failed; it is tried again")
    return "more"
  }

  async function run(): Promise<void> {
    let steppedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      let pauseMs = performance.now() - steppedAt < latelyMs ? lookOftenMs : lookEveryMs
      try {
        if ((await step()) === "more") {
          pauseMs = 0
          steppedAt = performance.now()
        }
        databaseAway = false
      } catch (error) {
        if (!databaseAway) log.warn({ error }, "jobs wait for the database")
        databaseAway = true
        pauseMs = restMs
      }
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }

  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}
