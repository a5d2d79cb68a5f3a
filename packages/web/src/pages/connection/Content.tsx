import { Anchor } from "@mantine/core"
import type { ListedSync } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { read, snapshotQuery } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { Code } from "../../parts/Code.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Section } from "../../parts/Page.tsx"
import { type Column, Table } from "../../parts/Rows.tsx"
import { Time } from "../../parts/Time.tsx"

/** What the last successful sync fetched. */
export function Content({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(snapshotQuery(id))
  return (
    <Section
      title="Content"
      aside={
        data && (
          <small className="dimmed">
            {formatBytes(data.bytes)} · <Time at={data.storedAt} />
          </small>
        )
      }
    >
      {error ? (
        <Failed error={error} retry={refetch} />
      ) : data === null ? (
        "Nothing has been fetched yet."
      ) : data === undefined ? (
        <Loading rows={3} />
      ) : (
        <>
          <Code what="Content" code={data.text} wrap />
          {!data.complete && (
            <p>
              Only the beginning is shown.{" "}
              <Anchor href={`/v1/connections/${encodeURIComponent(id)}/snapshot`} download>
                Download all
              </Anchor>
            </p>
          )}
        </>
      )}
    </Section>
  )
}

const shown = 8

/** When the content changed, and by how much. */
export function Changes({ id }: { id: string }) {
  // One more, to which the last shown is compared.
  const changes = { connection: id, outcome: "changed", limit: shown + 1 } as const
  const { data } = useQuery({ ...read("listSyncs", changes), queryKey: ["connections", id, "changes"] })
  const syncs = data?.data ?? []
  if (syncs.length === 0) return null
  const rows = syncs.slice(0, shown).map((sync, index) => ({ sync, before: syncs[index + 1] ?? null }))
  return (
    <Section title="Changes of the content" flush>
      <Table
        label="Changes of the content"
        rows={rows}
        columns={columns}
        keyOf={({ sync }) => String(sync.fence)}
      />
    </Section>
  )
}

type Change = { sync: ListedSync; before: ListedSync | null }

const columns: Column<Change>[] = [
  { title: "Changed", cell: ({ sync }) => <Time at={sync.finished_at ?? sync.started_at} /> },
  {
    title: "Size",
    cell: ({ sync: { bytes } }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
  },
  {
    title: "Difference",
    cell: ({ sync, before }) => differenceOf(sync.bytes, before?.bytes ?? null),
    end: true,
  },
]

function differenceOf(now: number | null, before: number | null): string {
  if (now === null || before === null) return "–"
  const bytes = now - before
  return bytes === 0 ? "0 B" : `${bytes > 0 ? "+" : "−"}${formatBytes(Math.abs(bytes))}`
}
