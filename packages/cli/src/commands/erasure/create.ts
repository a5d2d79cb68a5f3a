import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type JobOptions, jobOptions } from "../../options/jobOptions.ts"
import { startJob } from "../job/startJob.ts"

type Options = JobOptions & { emailStdin?: boolean; site?: string }

export const createErasure: CliCommand = {
  name: "create",
  description: "erase the stored data of a person or a site; the job is the proof",
  options: [
    // The address is not an argument, because other users of the machine can read arguments, and the shell's
    // history stores them.
    new Option("--email-stdin", "erase the person whose e-mail address is read from standard input"),
    new Option("--site <url>", "erase the site at this address"),
    ...jobOptions,
  ],
  notes: "Exactly one of --email-stdin and --site is required.",
  examples: [
    'sitewire erasure create --email-stdin --reason "ticket 9" --dry-run',
    'sitewire erasure create --email-stdin --reason "ticket 9" --wait < address.txt',
    'sitewire erasure create --site https://shop.example --reason "ticket 10" --wait --json > proof.json',
  ],
  async run(session, _, options: Options) {
    const { emailStdin = false, site, reason, dryRun = false } = options
    if (emailStdin === (site !== undefined)) {
      throw incorrectUsage("Give exactly one of --email-stdin and --site.")
    }
    const subject =
      site === undefined
        ? { email: (await session.readInput("-", "the e-mail address")).toString().trim() }
        : { site_url: site }
    await startJob(session, options, (client) =>
      client.createErasureJob({ ...subject, reason, dry_run: dryRun }),
    )
  },
}
