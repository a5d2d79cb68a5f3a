import { TextInput } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { type ConnectionFilter, connectionsQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { Filters } from "../../parts/Filters.tsx"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { ConnectionRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { ConnectionState } from "../../parts/states.tsx"
import { Ago } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { CreateConnection } from "./CreateConnection.tsx"

const t = texts.connections

export function Connections() {
  const { operates, sites } = useAccess()
  const [filter, change] = useFilters<ConnectionFilter>()
  const list = useInfiniteQuery(connectionsQuery(filter))
  const [text, setText] = useTyped(filter.q ?? "", (q) => change({ q: q || undefined }))
  const isFiltered = Object.keys(filter).length > 0
  const creates = operates || sites.length > 0
  return (
    <>
      <PageHead title={texts.pages.connections}>{creates && <CreateConnection />}</PageHead>
      <Filters>
        <TextInput
          label={t.search}
          placeholder={t.searchHint}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <SelectFilter
          label={t.state}
          values={texts.states.connection}
          value={filter.state}
          change={(state) => change({ state })}
        />
      </Filters>
      <PagedTable
        list={list}
        label={texts.pages.connections}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={isFiltered ? t.noneFound : t.none}>{!isFiltered && creates && t.noneMore}</Empty>
        }
      />
    </>
  )
}

const columns: Column<Connection>[] = [
  { title: t.columns.id, cell: ({ id }) => <ConnectionRef id={id} /> },
  { title: t.columns.site, cell: ({ site }) => <span dir="auto">{site}</span> },
  { title: t.columns.source, cell: ({ source }) => <Mono>{source}</Mono>, minor: true },
  {
    title: t.columns.state,
    cell: ({ state, last_reason }) => (
      <>
        <ConnectionState state={state} /> {state === "failing" && last_reason}
      </>
    ),
  },
  {
    title: t.columns.lastSync,
    cell: ({ last_synced_at, last_outcome }) =>
      last_synced_at ? (
        <>
          {last_outcome && texts.states.sync[last_outcome]}, <Ago at={last_synced_at} />
        </>
      ) : (
        "–"
      ),
    minor: true,
  },
]
