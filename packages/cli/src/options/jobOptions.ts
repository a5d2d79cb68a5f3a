import { Option } from "commander"
import { parseCount } from "./parseCount.ts"

export type JobOptions = { reason: string; dryRun?: boolean; wait?: boolean }

/** The options of every command that creates a job. */
export const jobOptions = [
  new Option(
    "--reason <text>",
    "why you do this; stored with the job, so name no person",
  ).makeOptionMandatory(),
  new Option("--dry-run", "only count what the job would process"),
  new Option("--wait", "wait for the end of the job, and print its progress"),
]

export const perSecondOption = new Option(
  "--per-second <n>",
  "the maximum rate (default: 50, set by the API)",
).argParser(parseCount)
