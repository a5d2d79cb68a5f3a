import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type JobOptions, jobOptions, reasonOf } from "../../options/jobOptions.ts"
import { type ConfirmOptions, confirmOption } from "../../options/pageOptions.ts"
import { startedJobSchema, startJob } from "../job/startJob.ts"

type Options = JobOptions & ConfirmOptions & { emailStdin?: boolean; site?: string }

export const createErasure: CliCommand = {
  name: "create",
  description: "erase the stored data of a person or a site; the job is the proof",
  options: [
    // The address is not an argument, because other users of the machine can read arguments, and the shell's
    // history stores them.
    new Option("--email-stdin", "erase the person whose e-mail address is read from standard input"),
    new Option("--site <url>", "erase the site at this address"),
    ...jobOptions,
    confirmOption,
  ],
  notes: "Exactly one of --email-stdin and --site is required.",
  examples: [
    "sitewire erasure create --email-stdin --dry-run",
    'sitewire erasure create --email-stdin --reason "ticket 9" --yes --wait < address.txt',
    'sitewire erasure create --site https://shop.example --reason "ticket 10" --yes --wait --json > proof.json',
  ],
  json: startedJobSchema,
  async run(session, _, options: Options) {
    const { emailStdin = false, site } = options
    if (emailStdin === (site !== undefined)) {
      throw incorrectUsage("Give exactly one of --email-stdin and --site.")
    }
    const subject =
      site === undefined ? { email: await session.readLine("the e-mail address") } : { site_url: site }
    const reason = reasonOf(options)
    await startJob(session, options, {
      filter: { site },
      create: (client, dryRun) => client.createErasureJob({ body: { ...subject, reason, dry_run: dryRun } }),
      question: (count) =>
        `Erase the data of ${count} deliveries, and all other data? This cannot be undone.`,
    })
  },
}
