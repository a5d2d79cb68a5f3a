import { setTimeout as sleep } from "node:timers/promises"
import { type DryRun, dryRunSchema, type Job, jobSchema } from "@sitewire/contracts"
import { progressText } from "@sitewire/contracts/views"
import { z } from "zod"
import type { Client } from "../../api/client.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { Failure } from "../../errors/failure.ts"
import type { JobOptions } from "../../options/jobOptions.ts"
import type { ConfirmOptions } from "../../options/pageOptions.ts"
import { localTime } from "../../output/time.ts"
import type { Session } from "../../session/createSession.ts"
import { jobBlock } from "./job.ts"

export const startedJobSchema = z.union([jobSchema, dryRunSchema])

const pollMs = 500

export type JobRequest = {
  /** What the job applies to, with times as they were resolved. */
  filter?: Record<string, unknown>
  create(client: Client, dryRun: boolean): Promise<Job | DryRun>
  /** The question before a job that cannot be undone, for example "Resend 35 deliveries?". */
  question?: (count: string) => string
  /** This kind of job has no dry run: `create` ignores it. */
  uncounted?: boolean
}

/**
 * Creates a job, prints it and returns it. With --wait, the job is printed after its end. With --dry-run, no job is
 * created, and the command prints how much a job would process.
 */
export async function startJob(
  session: Session,
  options: Pick<JobOptions, "dryRun" | "wait"> & ConfirmOptions,
  { filter = {}, create, question, uncounted = false }: JobRequest,
): Promise<Job | undefined> {
  const known: { count?: DryRun | null } = {}
  const count = async () => {
    if (known.count !== undefined) return known.count
    const counted = await session.callApi((client) => create(client, true))
    known.count = "dry_run" in counted ? counted : null
    return known.count
  }
  if (options.dryRun) {
    session.print(await count(), (counted) => (counted ? describeDryRun(counted, filter) : ""))
    return undefined
  }
  if (question)
    await session.confirm(
      options,
      async () => `${describeFilter(filter)}${question(describeCount(await count()))}`,
    )
  const counted = options.wait && session.interactive && !uncounted ? await count() : null
  const created = await session.callApi((client) => create(client, false))
  if ("dry_run" in created) return undefined
  const job = options.wait ? await waitForEnd(session, created, counted) : created
  session.print(job, jobBlock)
  if (job.state === "running") session.note(progressAdvice(job.id))
  if (job.state === "cancelled") session.outcome.exitCode = exitCodes.failed
  return job
}

async function waitForEnd(session: Session, created: Job, counted: DryRun | null): Promise<Job> {
  const progress = session.startProgress()
  try {
    session.note(`${created.id} has started.`)
    return await session.callApi(async (client) => {
      for (let job = created; ; job = await client.readJob({ id: created.id })) {
        const total = counted?.complete ? counted.matching : null
        progress.update({ text: progressText(job), done: processed(job), total })
        if (job.state !== "running") return job
        await sleep(pollMs)
      }
    })
  } catch (error) {
    throw error instanceof Failure ? withJobId(error, created.id) : error
  } finally {
    progress.end()
  }
}

/** How many of those that a dry run counts as `matching`. */
function processed({ kind, counts }: Job): number {
  const { resent = 0, replayed = 0, deliveries_erased = 0 } = counts
  return { resend: resent, replay: replayed, erasure: deliveries_erased, reconcile: 0 }[kind]
}

/**
 * Adds the job's id to the failure. With --json nothing else has printed the id, and a user who repeats the
 * command would create a second job.
 */
function withJobId({ kind, message, problem }: Failure, id: string): Failure {
  const advice = `The job has started and continues without this command. ${progressAdvice(id)}`
  const detail = [problem?.detail, advice].filter((text) => text !== undefined).join(" ")
  return new Failure(kind, `${message} ${advice}`, problem && { ...problem, detail })
}

function progressAdvice(id: string): string {
  return `To see its progress: sitewire job show ${id}`
}

/** `channel acme, created after 2026-03-01T13:00:00+01:00: ` */
function describeFilter(filter: NonNullable<JobRequest["filter"]>): string {
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${name.replaceAll("_", " ")} ${/_(after|before)$/.test(name) ? localTime(String(value)) : value}`],
  )
  return given.length === 0 ? "" : `${given.join(", ")}: `
}

function describeDryRun(counted: DryRun, filter: NonNullable<JobRequest["filter"]>): string {
  const { left_out } = counted
  const leftOut = left_out > 0 ? ` ${left_out} more would be left out: erased, or of a deleted channel.` : ""
  return `${describeFilter(filter)}the job would process ${describeCount(counted)}.${leftOut} Nothing was changed.`
}

function describeCount(counted: DryRun | null): string {
  return counted === null ? "all" : `${counted.complete ? "" : "at least "}${counted.matching}`
}
