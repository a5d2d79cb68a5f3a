import { Button } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { isNotFound } from "../../api/failure.ts"
import { type SyncFilter, syncsQuery } from "../../api/queries.ts"
import { unset, useFilters } from "../../app/search.ts"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { texts } from "../../texts.ts"
import { SyncFilters } from "./SyncFilters.tsx"
import { syncColumns } from "./syncColumns.tsx"

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
        columns={syncColumns}
        keyOf={({ connection, fence }) => `${connection} ${fence}`}
        empty={
          <Empty title={isFiltered ? t.noneFound : t.none}>
            {isFiltered ? (
              <Button variant="default" mt="sm" onClick={clear}>
                {texts.common.clearFilters}
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
