import { type AuditEntry, auditEntrySchema, auditTargetKindSchema, pageSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { incorrectUsage } from "../../errors/failure.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { type TimeRange, timeRangeOptions } from "../../options/timeRange.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

type Options = PageOptions &
  TimeRange & { key?: string; operation?: string; targetKind?: string; target?: string }

export const listAudit: CliCommand = {
  name: "list",
  description: "list every write, and every read of a secret or of personal data, newest first",
  options: [
    new Option("--key <key>", "only entries of the API key with this id"),
    new Option("--operation <name>", "only entries of this operation, such as changeChannel"),
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
    const { key, operation, targetKind, target, after, before } = options
    if (target !== undefined && targetKind === undefined) {
      throw incorrectUsage("--target needs --target-kind, because ids are unique only within a kind.")
    }
    const filter = {
      key,
      operation,
      target_kind: targetKind,
      target,
      created_after: after,
      created_before: before,
    }
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listAudit({ ...query, ...filter })),
    )
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No entries."
        : table(style, data, [
            { title: "TIME", cell: (entry) => localTime(entry.created_at) },
            { title: "KEY", cell: (entry) => entry.key.name },
            { title: "OPERATION", cell: (entry) => entry.operation },
            { title: "TARGET", cell: (entry) => `${entry.target.kind} ${entry.target.id}` },
            { title: "CHANGES", cell: changesText },
            { title: "REQUEST", cell: (entry) => entry.request_id },
          ]),
    )
    noteMore(session, page)
  },
}

/** `address "https://old.example/" → "https://new.example/"` */
function changesText({ changes }: AuditEntry): string {
  return Object.entries(changes)
    .map(([field, change]) => `${field} ${JSON.stringify(change.old)} → ${JSON.stringify(change.new)}`)
    .join(", ")
}
