import { TextInput } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { type ConnectionFilter, connectionsQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { Filters, SelectFilter } from "../../parts/Filters.tsx"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { ConnectionRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { ConnectionState } from "../../parts/states.tsx"
import { Ago } from "../../parts/Time.tsx"
import { connectionStates, pageNames, syncOutcomes } from "../../words.ts"
import { CreateConnection } from "./CreateConnection.tsx"

export function Connections() {
  const { operates, sites } = useAccess()
  const [filter, change] = useFilters<ConnectionFilter>()
  const list = useInfiniteQuery(connectionsQuery(filter))
  const [text, setText] = useTyped(filter.q ?? "", (q) => change({ q: q || undefined }))
  const isFiltered = Object.keys(filter).length > 0
  const creates = operates || sites.length > 0
  return (
    <>
      <PageHead title={pageNames.connections}>{creates && <CreateConnection />}</PageHead>
      <Filters>
        <TextInput
          label="Search"
          placeholder="Id, site or source"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <SelectFilter
          label="State"
          values={connectionStates}
          value={filter.state}
          change={(state) => change({ state })}
        />
      </Filters>
      <PagedTable
        list={list}
        label={pageNames.connections}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={isFiltered ? "No connection matches these filters" : "No connections yet"}>
            {!isFiltered &&
              creates &&
              "Create one to get the URL that the partner calls when its data changes."}
          </Empty>
        }
      />
    </>
  )
}

const columns: Column<Connection>[] = [
  { title: "Connection", cell: ({ id }) => <ConnectionRef id={id} /> },
  { title: "Site", cell: ({ site }) => <span dir="auto">{site}</span> },
  { title: "Source", cell: ({ source }) => <Mono>{source}</Mono>, minor: true },
  {
    title: "State",
    cell: ({ state, last_reason }) => (
      <>
        <ConnectionState state={state} /> {state === "failing" && last_reason}
      </>
    ),
  },
  {
    title: "Last sync",
    cell: ({ last_synced_at, last_outcome }) =>
      last_synced_at ? (
        <>
          {last_outcome && syncOutcomes[last_outcome]}, <Ago at={last_synced_at} />
        </>
      ) : (
        "–"
      ),
    minor: true,
  },
]
