import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { isNotFound } from "../../api/failure.ts"
import { type SyncFilter, syncsQuery } from "../../api/queries.ts"
import { unset, useFilters } from "../../app/search.ts"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { ConnectionRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { syncColumns } from "../../parts/syncColumns.tsx"
import { texts } from "../../texts.ts"
import { SyncFilters } from "./SyncFilters.tsx"

const t = texts.syncs

export function Syncs() {
  const [filter, change] = useFilters<SyncFilter>()
  const list = useInfiniteQuery(syncsQuery(filter))
  const isFiltered = Object.keys(filter).length > 0
  const clear = () => change(unset(filter))
  // While the id of a connection is being typed, none has it.
  const isUnknown = isNotFound(list.error)
  return (
    <>
      <PageHead title={texts.pages.syncs} />
      <SyncFilters filter={filter} change={change} clear={isFiltered ? clear : null} />
      <PagedTable
        list={isUnknown ? { ...list, error: null, data: { pages: [] } } : list}
        label={texts.pages.syncs}
        columns={columns}
        keyOf={({ connection, fence }) => `${connection} ${fence}`}
        empty={
          <Empty title={isFiltered ? t.noneFound : t.none}>
            {isFiltered ? (
              <Button variant="default" mt="sm" onClick={clear}>
                {t.clear}
              </Button>
            ) : (
              t.noneMore
            )}
          </Empty>
        }
      />
    </>
  )
}

const [started, ...others] = syncColumns
const columns: Column<Schemas["ListedSync"]>[] = [
  started,
  { title: t.columns.connection, cell: ({ connection }) => <ConnectionRef id={connection} /> },
  { title: t.columns.site, cell: ({ site }) => <span dir="auto">{site}</span>, minor: true },
  ...others,
]
