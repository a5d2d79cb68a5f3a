import { type AuditEntry, auditEntrySchema, auditTargetKindSchema, pageSchema } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { type TimeRange, timeRangeOptions } from "../../options/timeRange.ts"
import { timeColumn } from "../../output/table.ts"

type Options = PageOptions &
  TimeRange & {
    key?: string
    operation?: string
    revealed?: boolean
    targetKind?: Input<"listAudit">["target_kind"]
    target?: string
  }

export const listAudit: CliCommand = {
  name: "list",
  description: "list every write, and every read of a secret or of personal data, newest first",
  options: [
    new Option("--key <key>", "only entries of the API key with this id"),
    new Option("--operation <name>", "only entries of this operation, such as changeChannel"),
    new Option("--revealed", "only entries of operations that responded with a secret or with personal data"),
    new Option("--target-kind <kind>", "only entries about this kind of resource").choices(
      auditTargetKindSchema.options,
    ),
    new Option("--target <id>", "only entries about the resource with this id; needs --target-kind"),
    ...timeRangeOptions("entries written"),
    ...pageOptions,
  ],
  notes: timeHelp,
  examples: [
    "sitewire audit list --after 2h",
    "sitewire audit list --target-kind channel --target acme",
    "sitewire audit list --operation revokeApiKey --all --json",
  ],
  json: pageSchema(auditEntrySchema),
  async run(session, _, options: Options) {
    const { key, operation, revealed, targetKind, target, after, before } = options
    if (target !== undefined && targetKind === undefined) {
      throw incorrectUsage("--target needs --target-kind, because ids are unique only within a kind.")
    }
    const filter = {
      key,
      operation,
      revealed,
      target_kind: targetKind,
      target,
      created_after: after,
      created_before: before,
    }
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listAudit({ ...query, ...filter })),
    )
    printPage(session, page, "No entries.", () => [
      timeColumn("TIME", (entry) => entry.created_at),
      { title: "KEY", cell: (entry) => entry.key.name },
      { title: "OPERATION", cell: (entry) => entry.operation },
      { title: "TARGET", cell: (entry) => `${entry.target.kind} ${entry.target.id}` },
      { title: "CHANGES", cell: changesText },
      { title: "ADDRESS", cell: (entry) => entry.client_address ?? "" },
      { title: "REQUEST", cell: (entry) => entry.request_id },
    ])
  },
}

/** `address "https://old.example/" → "https://new.example/"` */
function changesText({ changes }: AuditEntry): string {
  return Object.entries(changes)
    .map(([field, change]) => `${field} ${JSON.stringify(change.old)} → ${JSON.stringify(change.new)}`)
    .join(", ")
}
