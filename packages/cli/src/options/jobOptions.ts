import { createResendJobSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { parseCount } from "./parseCount.ts"

export type JobOptions = { reason: string; dryRun?: boolean; wait?: boolean }

export const jobOptions = [
  new Option(
    "--reason <text>",
    "why you do this (required); stored with the job, so do not name a person",
  ).makeOptionMandatory(),
  new Option("--dry-run", "only count what the job would process"),
  new Option("--wait", "wait for the end of the job, and print its progress"),
]

const defaultRate = createResendJobSchema.shape.per_second.parse(undefined)

export const perSecondOption = new Option(
  "--per-second <n>",
  `the maximum number per second (default: ${defaultRate})`,
).argParser(parseCount)
