import type { Command } from "commander"
import { examples } from "../../examples.ts"
import { usage } from "../../errors/failure.ts"
import type { Setup } from "../../program.ts"
import { addJobOptions, type JobOptions, startJob } from "../job/startJob.ts"

type Options = JobOptions & { emailStdin?: boolean; site?: string }

export function addErase(parent: Command, { open, outcome }: Setup): void {
  const erase = parent
    .command("erase")
    .description("erase what is kept of a person or a site; the job is the proof")
    // Not an argument: it would stay in the shell's history, and everybody on the machine could see it.
    .option("--email-stdin", "of the person whose e-mail address is read from standard input")
    .option("--site <url>", "of the site at this address")
  addJobOptions(erase)
    .addHelpText(
      "after",
      examples(
        'sitewire erase --email-stdin --reason "ticket 9" --dry-run',
        'sitewire erase --email-stdin --reason "ticket 9" --wait < address.txt',
        'sitewire erase --site https://shop.example --reason "ticket 10" --wait --json > proof.json',
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = open(command)
      const { emailStdin = false, site, reason, dryRun = false } = options
      if (emailStdin === (site !== undefined)) throw usage("Give exactly one of --email-stdin and --site.")
      const subject =
        site === undefined
          ? { email: (await session.readInput("-", "the e-mail address")).toString().trim() }
          : { site_url: site }
      await startJob(session, { options, outcome }, (client) =>
        client.createErasureJob({ ...subject, reason, dry_run: dryRun }),
      )
    })
}
