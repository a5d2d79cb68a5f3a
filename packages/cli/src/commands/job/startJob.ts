import { setTimeout as sleep } from "node:timers/promises"
import type { DryRun, Job } from "@sitewire/contracts"
import type { Client } from "../../api/client.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { Failure } from "../../errors/failure.ts"
import type { JobOptions } from "../../options/jobOptions.ts"
import type { Session } from "../../session/createSession.ts"
import { jobBlock, progressText } from "./jobBlock.ts"

const pollMs = 500

/**
 * Creates a job, prints it and returns it. With --wait, the job is printed after its end. With --dry-run, no job is
 * created, and the command prints how much a job would process.
 */
export async function startJob(
  session: Session,
  options: Pick<JobOptions, "wait">,
  create: (client: Client) => Promise<Job | DryRun>,
): Promise<Job | undefined> {
  const created = await session.callApi(create)
  if ("dry_run" in created) {
    session.print(created, describeDryRun)
    return undefined
  }
  const job = options.wait ? await waitForEnd(session, created) : created
  session.print(job, jobBlock)
  if (job.state === "running") session.note(progressAdvice(job.id))
  if (job.state === "cancelled") session.outcome.exitCode = exitCodes.failed
  return job
}

async function waitForEnd(session: Session, created: Job): Promise<Job> {
  try {
    return await session.callApi(async (client) => {
      session.note(`${created.id} has started.`)
      let printed = ""
      for (let job = created; ; job = await client.readJob(created.id)) {
        const progress = progressText(job)
        if (progress !== printed && progress !== "") session.note(progress)
        printed = progress
        if (job.state !== "running") return job
        await sleep(pollMs)
      }
    })
  } catch (error) {
    throw error instanceof Failure ? withJobId(error, created.id) : error
  }
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

function describeDryRun({ matching, left_out, complete }: DryRun): string {
  const atLeast = complete ? "" : "at least "
  const leftOut = left_out > 0 ? ` ${left_out} more would be left out: erased, or of a deleted channel.` : ""
  return `The job would process ${atLeast}${matching}.${leftOut} Nothing was changed.`
}
