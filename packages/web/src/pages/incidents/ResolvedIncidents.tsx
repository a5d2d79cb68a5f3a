import type { Incident } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type FilterOf, listOf } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { formatNumber, formatSpan } from "../../format.ts"
import { SelectFilter } from "../../parts/Filters.tsx"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ChannelRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { Time } from "../../parts/Time.tsx"
import { pageNames } from "../../words.ts"

const kindNames = {
  "channel.failing": "Channel was failing",
  "channel.paused": "Channel was paused",
  "connection.failing": "Source could not be fetched",
  "certificate.expiring": "Certificate was expiring",
  "delivery.dead": "Dead deliveries",
  "delivery.overdue": "Attempts were overdue",
  "event.invalid": "Invalid events",
  "rotation.unfinished": "Rotation of a secret was not finished",
  "topic.behind": "Consumers were behind",
  "topic.missing": "Topic did not exist",
  "sync.overdue": "Syncs were overdue",
  "dispatcher.missing": "No dispatcher was running",
  "scheduler.missing": "No scheduler was running",
  "kafka.unavailable": "Kafka did not respond",
  "postgres.unavailable": "Postgres did not respond",
} as const

export function ResolvedIncidents() {
  const [filter, change] = useFilters<FilterOf<"listIncidents">>()
  const list = useInfiniteQuery(listOf("listIncidents", { ...filter, state: "resolved" }))
  return (
    <ListPage
      title={pageNames.incidents}
      filters={
        <SelectFilter
          label="Incident"
          values={kindNames}
          value={filter.kind}
          change={(kind) => change({ kind })}
        />
      }
      period={{ filter, change }}
      list={list}
      columns={columns}
      empty={<Empty title="No resolved incidents">An incident is listed here when it has ended.</Empty>}
    />
  )
}

const columns: Column<Incident>[] = [
  { title: "Began", cell: ({ since }) => <Time at={since} /> },
  { title: "Lasted", cell: ({ since, resolved_at }) => lasted(since, resolved_at), whole: true },
  { title: "Incident", cell: ({ kind }) => kindNames[kind] },
  { title: "About", cell: ({ subject }) => <Subject subject={subject} /> },
  {
    title: "At most",
    cell: ({ max_count }) => (max_count === null ? "–" : formatNumber(max_count)),
    end: true,
  },
  {
    title: "Acknowledged",
    cell: ({ acknowledgement: by }) => (by ? <span dir="auto">{`${by.by}: ${by.note}`}</span> : "–"),
  },
]

function lasted(since: string, end: string | null): string {
  return end === null ? "" : formatSpan(Date.parse(end) - Date.parse(since))
}

function Subject({ subject: { kind, id } }: Pick<Incident, "subject">) {
  if (id === "*") return "many others"
  if (kind === "channel") return <ChannelRef id={id} />
  return kind === "installation" ? "–" : <span dir="auto">{id}</span>
}
