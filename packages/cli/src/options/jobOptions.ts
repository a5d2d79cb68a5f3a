import { createResendJobSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { incorrectUsage } from "../errors/failure.ts"
import { parseCount } from "./pageOptions.ts"

export type JobOptions = { reason?: string; dryRun?: boolean; wait?: boolean }

export const jobOptions = [
  new Option(
    "--reason <text>",
    "why you do this (required without --dry-run); stored with the job, so do not name a person",
  ),
  new Option("--dry-run", "only count what the job would process"),
  new Option("--wait", "wait for the end of the job, and print its progress"),
]

/** The reason of a job. A dry run needs none. */
export function reasonOf({ reason, dryRun = false }: JobOptions): string {
  if (reason !== undefined) return reason
  if (dryRun) return "dry run"
  throw incorrectUsage("--reason is missing: why you do this. With --dry-run, it is not needed.")
}

const defaultRate = createResendJobSchema.shape.per_second.parse(undefined)

export const perSecondOption = new Option(
  "--per-second <n>",
  `the maximum number per second (default: ${defaultRate})`,
).argParser(parseCount)
