import type { Incident } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type IncidentFilter, resolvedIncidentsQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { formatNumber, formatSpan } from "../../format.ts"
import { HistoryPage } from "../../parts/HistoryPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ChannelRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"

const t = texts.resolvedIncidents

export function ResolvedIncidents() {
  const [filter, change] = useFilters<IncidentFilter>()
  const list = useInfiniteQuery(resolvedIncidentsQuery(filter))
  return (
    <HistoryPage
      title={texts.pages.incidents}
      filter={filter}
      change={change}
      list={list}
      columns={columns}
      empty={<Empty title={t.none}>{t.noneMore}</Empty>}
    >
      <SelectFilter
        label={t.columns.kind}
        values={t.kinds}
        value={filter.kind}
        change={(kind) => change({ kind })}
      />
    </HistoryPage>
  )
}

const columns: Column<Incident>[] = [
  { title: t.columns.began, cell: ({ since }) => <Time at={since} /> },
  { title: t.columns.lasted, cell: ({ since, resolved_at }) => lasted(since, resolved_at), whole: true },
  { title: t.columns.kind, cell: ({ kind }) => t.kinds[kind] },
  { title: t.columns.subject, cell: ({ subject }) => <Subject subject={subject} /> },
  {
    title: t.columns.most,
    cell: ({ max_count }) => (max_count === null ? "–" : formatNumber(max_count)),
    end: true,
  },
  {
    title: t.columns.acknowledged,
    cell: ({ acknowledgement: by }) => (by ? <span dir="auto">{`${by.by}: ${by.note}`}</span> : "–"),
  },
]

function lasted(since: string, end: string | null): string {
  return end === null ? "" : formatSpan(Date.parse(end) - Date.parse(since))
}

function Subject({ subject: { kind, id } }: Pick<Incident, "subject">) {
  if (id === "*") return t.others
  if (kind === "channel") return <ChannelRef id={id} />
  return kind === "installation" ? "–" : <span dir="auto">{id}</span>
}
