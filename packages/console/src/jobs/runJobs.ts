import type { Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed, sleepUnlessAborted } from "@sitewire/runtime"
import { KafkaUnavailable } from "../kafka/publisher.ts"
import { erasureStep } from "./erasure/erasureStep.ts"
import type { StepContext } from "./job.ts"
import type { ReconcileSources } from "./reconcile/reconcileSources.ts"
import { reconcileStep } from "./reconcile/reconcileStep.ts"
import { replayStep } from "./replay/replayStep.ts"
import { resendStep } from "./resend/resendStep.ts"
import { runStep, type StepFunctions } from "./runStep.ts"

/** The poll interval until `busyForMs` after the last step, so that jobs reach their rates. */
const busyPollIntervalMs = 25
const busyForMs = 3_000
/** A job is skipped for this time at least after a failed step, and for as long as the step took, so that others get half of the time. */
const retryAfterMs = 2_000

/**
 * Runs all jobs, step by step. Several consoles can do so at once. A job's state is in its row, so that the
 * job continues with its next step after a restart.
 */
export function runJobs(settings: {
  pool: Pool
  context: Omit<StepContext, "sql">
  reconcileSources: ReconcileSources
  pollIntervalMs?: number
  /** How long a step may take: as long as Postgres lets its transaction be idle. */
  stepDeadlineMs?: number
  log: Logger
}): {
  close(): Promise<void>
} {
  const { pool, context, reconcileSources, log } = settings
  const { pollIntervalMs = 1_000, stepDeadlineMs = 60_000 } = settings
  const steps: StepFunctions = {
    resend: resendStep,
    replay: replayStep,
    erasure: erasureStep,
    reconcile: (job, { sql }) => reconcileStep(job, sql, reconcileSources),
  }
  const skippedUntil = new Map<string, number>()

  async function runNextStep(): Promise<boolean> {
    for (const [id, until] of skippedUntil) if (until <= Date.now()) skippedUntil.delete(id)
    const startedAt = Date.now()
    const excluded = [...skippedUntil.keys()]
    const outcome = await runStep(pool, steps, context, { excluded, deadlineMs: stepDeadlineMs })
    if (outcome.kind === "no job") return false
    const { id, kind } = outcome.job
    if (outcome.kind === "completed") {
      if (outcome.done) log.info({ job: id, kind, counts: outcome.counts }, "job done")
      return true
    }
    skippedUntil.set(id, Date.now() + Math.max(retryAfterMs, Date.now() - startedAt))
    const { error } = outcome
    if (error instanceof KafkaUnavailable) {
      log.warn({ job: id, kind, why: error.message }, "a job waits for Kafka")
    } else {
      log.error({ job: id, kind, error }, "a step of a job failed and will be retried")
    }
    return true
  }

  return repeatUntilClosed({
    async step(signal) {
      // Returns at times, so that each outage of the database is reported.
      const returnsAt = performance.now() + 60_000
      for (let lastStepAt = Number.NEGATIVE_INFINITY; !signal.aborted && performance.now() < returnsAt; ) {
        if (await runNextStep()) lastStepAt = performance.now()
        else if (performance.now() - lastStepAt > busyForMs) return
        else await sleepUnlessAborted(busyPollIntervalMs, signal)
      }
    },
    intervalMs: pollIntervalMs,
    failed: "jobs wait for the database",
    log,
  })
}
