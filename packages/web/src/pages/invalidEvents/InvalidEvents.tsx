import type { InvalidEvent } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { invalidEventsQuery } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable, rowsOf } from "../../parts/PagedTable.tsx"
import { DeliveryRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Replay } from "./Replay.tsx"

const t = texts.invalidEvents

export function InvalidEvents() {
  const { operates } = useAccess()
  const list = useInfiniteQuery(invalidEventsQuery())
  const rows = rowsOf(list)
  return (
    <>
      <PageHead title={texts.pages.invalidEvents}>
        {operates && rows.length > 0 && <Replay rows={rows} />}
      </PageHead>
      <PagedTable
        list={list}
        label={texts.pages.invalidEvents}
        columns={columns}
        keyOf={({ from }) => from}
        empty={<Empty title={t.none}>{t.noneMore}</Empty>}
      />
    </>
  )
}

const columns: Column<InvalidEvent>[] = [
  { title: t.columns.rejected, cell: ({ rejected_at }) => <Time at={rejected_at} /> },
  { title: t.columns.reason, cell: ({ reason }) => reason },
  { title: t.columns.event, cell: ({ event_id, key }) => event_id ?? key ?? "–" },
  { title: t.columns.channel, cell: ({ channel }) => channel ?? "–" },
  {
    title: t.columns.delivery,
    cell: ({ delivery }) =>
      delivery ? <DeliveryRef id={delivery}>{t.delivered}</DeliveryRef> : t.notDelivered,
  },
  {
    title: t.columns.size,
    cell: ({ bytes }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
  },
  { title: t.columns.from, cell: ({ from }) => <Mono>{from}</Mono>, minor: true },
]
