import { Button } from "@mantine/core"
import { deliveriesOf } from "@sitewire/contracts/partnerMessage"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { isNotFound } from "../../api/failure.ts"
import { type DeliveryFilter, listOf } from "../../api/queries.ts"
import { queryClient } from "../../api/queryClient.ts"
import { useStreamState } from "../../api/stream.ts"
import { unset, useFilters } from "../../app/search.ts"
import { formatNumber } from "../../format.ts"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Empty, PageHead, Section } from "../../parts/Page.tsx"
import { pageNames } from "../../words.ts"
import { BulkResend } from "./BulkResend.tsx"
import { DeliveryFilters } from "./DeliveryFilters.tsx"
import classes from "./DeliveryList.module.css"
import { DeliveryList } from "./DeliveryList.tsx"

const pagesOf = (filter: DeliveryFilter) => listOf("listDeliveries", filter, { limit: 100 })

export function Deliveries() {
  const { operates } = useAccess()
  const [filter, change] = useFilters<DeliveryFilter>()
  const list = useInfiniteQuery(pagesOf(filter))
  const { refetch, isPlaceholderData } = list
  // While the id of a channel is typed, there is no channel with its beginning.
  const isUnknown = isNotFound(list.error)
  const error = isUnknown ? null : list.error
  const data = isUnknown ? { pages: [] } : list.data
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageHead title={pageNames.deliveries}>
        {operates && isFiltered && <BulkResend filter={filter} />}
      </PageHead>
      <DeliveryFilters filter={filter} change={change} />
      {data && data.pages.length > 1 && <Newer key={JSON.stringify(filter)} filter={filter} />}
      <Section flush>
        {error ? (
          <Failed error={error} retry={refetch} />
        ) : !data ? (
          <Loading />
        ) : rows.length === 0 ? (
          <Empty title={isFiltered ? "No delivery matches these filters" : "No deliveries yet"}>
            {isFiltered ? (
              <Button variant="default" mt="sm" onClick={() => change(unset(filter))}>
                Clear filters
              </Button>
            ) : (
              "A delivery appears here as soon as an internal service publishes a site.paid event."
            )}
          </Empty>
        ) : (
          <DeliveryList
            rows={rows}
            dimmed={isPlaceholderData}
            hasMore={list.hasNextPage}
            isLoadingMore={list.isFetchingNextPage}
            loadMore={list.fetchNextPage}
          />
        )}
      </Section>
      <p className="visually-hidden" role="status">
        {data &&
          `${deliveriesOf(formatNumber(rows.length), rows.length === 1)}${list.hasNextPage ? " or more" : ""}`}
      </p>
    </>
  )
}

/** A list of several pages is not read again by itself, because it would jump. */
function Newer({ filter }: { filter: DeliveryFilter }) {
  const { deliveryAt } = useStreamState()
  const [shownAt, setShownAt] = useState(Date.now)
  if (deliveryAt < shownAt) return null
  const show = () => {
    setShownAt(Date.now())
    window.scrollTo({ top: 0 })
    void queryClient.resetQueries(pagesOf(filter))
  }
  return (
    <div className={classes.newer}>
      <Button size="compact-sm" radius="xl" onClick={show}>
        Deliveries have changed: show the newest
      </Button>
    </div>
  )
}
