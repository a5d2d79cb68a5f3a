import type { ReconciliationException } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

export function exceptionTable(exceptions: readonly ReconciliationException[], style: Style): string {
  return table(style, exceptions, [
    { title: "EXCEPTION", cell: ({ kind }) => kind },
    { title: "TOPIC", cell: ({ topic }) => topic },
    { title: "PARTITION", cell: ({ partition }) => String(partition), align: "right" },
    { title: "OFFSET", cell: ({ offset }) => offset, align: "right" },
    { title: "EVENT", cell: ({ event_id }) => event_id ?? "" },
    { title: "CONNECTION", cell: ({ connection }) => connection ?? "" },
    { title: "PUBLISHED", cell: ({ published_at }) => localTime(published_at) },
  ])
}
