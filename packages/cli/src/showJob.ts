import { setTimeout as sleep } from "node:timers/promises"
import type { DryRun, Job } from "@sitewire/contracts"
import { type Command, InvalidArgumentError } from "commander"
import { z } from "zod"
import type { Client } from "./client.ts"
import { Failure } from "./failure.ts"
import { block } from "./printBlock.ts"
import { localTime } from "./printTime.ts"
import type { Setup } from "./program.ts"
import { readCount } from "./readCount.ts"
import type { Session } from "./session.ts"
import type { Style } from "./style.ts"

export type JobOptions = { reason: string; dryRun?: boolean; wait?: boolean }

/** The options of every command that makes a job. */
export function addJobOptions(command: Command): Command {
  return command
    .requiredOption("--reason <text>", "why, for whoever reads the job later; name no person")
    .option("--dry-run", "only count what would be done")
    .option("--wait", "wait until the job has ended, and show how far it is")
}

/** The option of jobs that send. */
export function addPaceOption(command: Command, pieces = ""): Command {
  return command.option("--per-second <n>", `how many a second, at most (50)${pieces}`, readCount)
}

/** A time as ISO 8601 with an offset, or as anything else that names one instant; given on in UTC. */
export function readInstant(text: string): string {
  // Date.parse alone takes 31 February for 3 March.
  const ms = z.iso.date().safeParse(text.slice(0, 10)).success ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      "It must be a time such as 2026-11-21T04:00:00Z, or a day such as 2026-11-21.",
    )
  }
  return new Date(ms).toISOString()
}

/** Makes a job, shows it or what it would do, and with --wait sees it through: exit code 1 where it was cancelled. */
export async function startJob(
  session: Session,
  { options, outcome }: { options: JobOptions; outcome: Setup["outcome"] },
  create: (client: Client) => Promise<Job | DryRun>,
): Promise<void> {
  const made = await session.ask(create)
  if ("dry_run" in made) {
    session.show(made, describeDryRun)
    return
  }
  const job = options.wait ? await waitForDependency(session, made) : made
  session.show(job, (shown, style) => block(style, jobEntries(shown, style)))
  if (job.state === "running") session.note(howToLook(job.id))
  if (job.state === "cancelled") outcome.exitCode = 1
}

function waitForDependency(session: Session, made: Job): Promise<Job> {
  const waiting = session.ask(async (client) => {
    session.note(`${made.id} has begun.`)
    let told = ""
    for (let job = made; ; job = await client.readJob(made.id)) {
      const progress = countsText(job)
      if (progress !== told && progress !== "") session.note(progress)
      told = progress
      if (job.state !== "running") return job
      await sleep(everyMs)
    }
  })
  return waiting.catch((error) => {
    throw error instanceof Failure ? withJob(error, made.id) : error
  })
}

const everyMs = 500

/** Under --json nothing else has told the job's id, and whoever asked again would do it all twice. */
function withJob({ exitCode, message, problem }: Failure, id: string): Failure {
  const advice = `The job has begun and goes on without this wait. ${howToLook(id)}`
  const detail = [problem?.detail, advice].filter((text) => text !== undefined).join(" ")
  return new Failure(exitCode, `${message} ${advice}`, problem && { ...problem, detail })
}

function howToLook(id: string): string {
  return `See how far it is: sitewire job show ${id}`
}

function describeDryRun({ matching, left_out, complete }: DryRun): string {
  const least = complete ? "" : "at least "
  const left = left_out > 0 ? ` ${left_out} more were erased and would be left out.` : ""
  return `It would take ${least}${matching}.${left} Nothing was changed.`
}

export function jobEntries(job: Job, style: Style): [string, string | null][] {
  const filter = Object.entries(job.filter).map(([name, value]) => `${name} ${value}`)
  const remains = (job.remains ?? []).map(({ topic, last_deleted_at }): [string, string] => [
    `remains in ${topic}`,
    `until ${localTime(last_deleted_at)}`,
  ])
  return [
    ["id", job.id],
    ["kind", job.kind],
    ["state", job.state],
    ["applies to", filter.length > 0 ? filter.join(", ") : "all"],
    ["a second", job.per_second === null ? null : `${job.per_second} at most`],
    ["so far", countsText(job) || "nothing yet"],
    ["reason", job.reason],
    ["asked for by", job.requested_by],
    ["created", style.moment(job.created_at)],
    ["ended", job.finished_at && style.moment(job.finished_at)],
    ...remains,
  ]
}

/** `resent 35, left out 4` */
export function countsText({ counts }: Job): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ")
}
