import type { ReconciliationException } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"

type Listed = Omit<ReconciliationException, "kind"> & { kind: string }

export function exceptionTable(exceptions: readonly Listed[], style: Style): string {
  return table(style, exceptions, [
    { title: "EXCEPTION", cell: ({ kind }) => kind },
    { title: "EVENT", cell: ({ event_id }) => event_id ?? "", whole: true },
    { title: "CONNECTION", cell: ({ connection }) => connection ?? "", whole: true },
    timeColumn("PUBLISHED", ({ published_at }) => published_at),
    { title: "TOPIC", cell: ({ topic }) => topic },
    { title: "PARTITION", cell: ({ partition }) => String(partition), align: "right" },
    { title: "OFFSET", cell: ({ offset }) => offset, align: "right" },
  ])
}
