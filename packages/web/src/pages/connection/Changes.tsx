import type { ListedSync } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { changesQuery } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { Columns, Section } from "../../parts/Page.tsx"
import { type Column, Table } from "../../parts/Rows.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Difference } from "./difference/Difference.tsx"

const t = texts.changes
const shown = 8

/** When the content changed, by how much, and what changed last. */
export function Changes({ id }: { id: string }) {
  // One more, to which the last shown is compared.
  const { data } = useQuery(changesQuery(id, shown + 1))
  const syncs = data?.data ?? []
  const [newest] = syncs
  if (!newest?.content_sha256) return null
  const rows = syncs.slice(0, shown).map((sync, index) => ({ sync, before: syncs[index + 1] ?? null }))
  return (
    <Columns wide>
      <Section
        title={t.newest}
        aside={
          <small className="dimmed">
            <Ago at={newest.finished_at ?? newest.started_at} />
          </small>
        }
      >
        <Difference id={id} fence={newest.fence} />
      </Section>
      <Section title={t.list} flush>
        <Table label={t.title} rows={rows} columns={columns} keyOf={({ sync }) => String(sync.fence)} />
      </Section>
    </Columns>
  )
}

type Change = { sync: ListedSync; before: ListedSync | null }

const columns: Column<Change>[] = [
  { title: t.columns.changed, cell: ({ sync }) => <Time at={sync.finished_at ?? sync.started_at} /> },
  {
    title: t.columns.size,
    cell: ({ sync: { bytes } }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
  },
  {
    title: t.columns.difference,
    cell: ({ sync, before }) => differenceOf(sync.bytes, before?.bytes ?? null),
    end: true,
  },
]

function differenceOf(now: number | null, before: number | null): string {
  if (now === null || before === null) return "–"
  const bytes = now - before
  return bytes === 0 ? "0 B" : `${bytes > 0 ? "+" : "−"}${formatBytes(Math.abs(bytes))}`
}
