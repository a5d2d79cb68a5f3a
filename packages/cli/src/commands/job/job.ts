import { jobView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { jobBlock } from "./jobBlock.ts"

export const job: CommandGroup = {
  name: "job",
  description: "jobs: resends, replays, erasures and reconciliations",
  commands: [
    call("job list", "listJobs", {
      description: "list the resends, replays, erasures and reconciliations, newest first",
      examples: ["sitewire job list", "sitewire job list --limit 5 --json"],
      none: "No jobs.",
      print: jobView,
    }),
    call("job show", "readJob", {
      description: "show a job and what became of its deliveries; of an erasure with --json, the proof",
      examples: ["sitewire job show job_8c1f0e", "sitewire job show job_8c1f0e --json"],
      print: jobBlock,
    }),
    call("job cancel", "cancelJob", {
      description:
        "stop a job; nothing is undone, and deliveries that a resend has already deferred are sent",
      print: jobBlock,
    }),
  ],
}
