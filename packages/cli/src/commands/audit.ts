import { auditView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"
import { incorrectUsage } from "../errors/failure.ts"

export const audit: CommandGroup = {
  name: "audit",
  description: "the audit log: who changed or revealed what",
  commands: [
    call("audit list", "listAudit", {
      description: "list every write, and every read of a secret or of personal data, newest first",
      options: {
        operation: "only entries of this operation, such as changeChannel",
        target: "only entries about the resource with this id; needs --target-kind",
      },
      prepare({ target, target_kind }) {
        if (target !== undefined && target_kind === undefined)
          throw incorrectUsage("--target needs --target-kind, because ids are unique only within a kind.")
      },
      examples: [
        "sitewire audit list --after 2h",
        "sitewire audit list --target-kind channel --target acme",
        "sitewire audit list --operation revokeApiKey --all --json",
      ],
      none: "No entries.",
      print: auditView,
    }),
  ],
}
