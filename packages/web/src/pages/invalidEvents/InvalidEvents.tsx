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
import { pageNames } from "../../words.ts"
import { Replay } from "./Replay.tsx"

export function InvalidEvents() {
  const { operates } = useAccess()
  const list = useInfiniteQuery(invalidEventsQuery())
  const rows = rowsOf(list)
  return (
    <>
      <PageHead title={pageNames.invalidEvents}>
        {operates && rows.length > 0 && <Replay rows={rows} />}
      </PageHead>
      <PagedTable
        list={list}
        label={pageNames.invalidEvents}
        columns={columns}
        keyOf={({ from }) => from}
        empty={
          <Empty title="No invalid events">
            Each site.paid event was valid. One that is not appears here with the reason.
          </Empty>
        }
      />
    </>
  )
}

const columns: Column<InvalidEvent>[] = [
  { title: "Rejected", cell: ({ rejected_at }) => <Time at={rejected_at} /> },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Event", cell: ({ event_id, key }) => event_id ?? key ?? "–" },
  { title: "Channel", cell: ({ channel }) => channel ?? "–" },
  {
    title: "Delivery",
    cell: ({ delivery }) =>
      delivery ? <DeliveryRef id={delivery}>Delivered since</DeliveryRef> : "Not delivered",
  },
  {
    title: "Size",
    cell: ({ bytes }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
  },
  { title: "Record", cell: ({ from }) => <Mono>{from}</Mono>, minor: true },
]
