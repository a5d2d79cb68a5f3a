import type { ListedDelivery } from "@sitewire/contracts"
import { Link } from "@tanstack/react-router"
import { useWindowVirtualizer } from "@tanstack/react-virtual"
import { useEffect, useRef, useState } from "react"
import { Copyable } from "../../parts/Copy.tsx"
import { DeliveryState, whyDead } from "../../parts/states.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { deadReasons, failureName, pageNames, waitingForNames } from "../../words.ts"
import classes from "./DeliveryList.module.css"

const rowHeight = 71
const loadAhead = 30

/** Renders only the visible rows, and reads the next page before the end comes into view. */
export function DeliveryList({
  rows,
  dimmed,
  hasMore,
  isLoadingMore,
  loadMore,
}: {
  rows: readonly ListedDelivery[]
  dimmed: boolean
  hasMore: boolean
  isLoadingMore: boolean
  loadMore: () => unknown
}) {
  const list = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  useEffect(() => setOffset(list.current?.offsetTop ?? 0), [])
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - loadAhead) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])

  return (
    // Not a table element, which would need all of its rows.
    <div
      role="table"
      aria-label={pageNames.deliveries}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      data-dimmed={dimmed}
      className={classes.table}
    >
      <div role="row" className={classes.head}>
        {["State", "Event", "Channel", "Attempts", "Created"].map((title) => (
          <span role="columnheader" key={title}>
            {title}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={list} className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const row = rows[index]
          return (
            row && (
              <div
                role="row"
                tabIndex={-1}
                key={key}
                data-index={index}
                ref={virtual.measureElement}
                aria-rowindex={index + 2}
                className={classes.row}
                style={{ transform: `translateY(${start - offset}px)` }}
              >
                <Cells row={row} />
              </div>
            )
          )
        })}
      </div>
      {isLoadingMore && <div className={classes.loading}>Loading …</div>}
    </div>
  )
}

function Cells({ row }: { row: ListedDelivery }) {
  return (
    <>
      <span role="cell">
        <DeliveryState state={row.state} waiting={row.waiting_for} />
      </span>
      <span role="cell" className={classes.event}>
        <Link to="/deliveries/$id" params={{ id: row.id }} className={classes.link} preload={false}>
          {row.event_id}
        </Link>
        <span className={classes.about}>
          {row.reference && <Copyable value={row.reference} what={`the reference ${row.reference}`} />}
          {row.site_url && <Copyable value={row.site_url} what={`the site ${row.site_url}`} />}
        </span>
      </span>
      <span role="cell" className={classes.channel}>
        {row.channel}
      </span>
      <span role="cell" className={classes.progress}>
        <Progress row={row} />
      </span>
      <span role="cell" className={classes.created}>
        <Time at={row.created_at} />
      </span>
    </>
  )
}

function Progress({ row }: { row: ListedDelivery }) {
  const { attempts, last_error, last_status, next_attempt_at, waiting_for, state } = row
  const failure = last_error && failureName({ error: last_error, status: last_status })
  return (
    <>
      {state === "dead" && attempts === 0
        ? `No attempt: ${deadReasons[whyDead(row)].short}`
        : attempts === 0
          ? "No attempt yet"
          : attempts === 1
            ? "1 attempt"
            : `${attempts} attempts`}
      {failure && state !== "delivered" && <span className={classes.failure}> · {failure}</span>}
      {state === "pending" && next_attempt_at && (
        <span>
          {" · "}
          next <Ago at={next_attempt_at} due />
        </span>
      )}
      {state === "pending" && !next_attempt_at && waiting_for && (
        <span> · {waitingForNames[waiting_for]}</span>
      )}
    </>
  )
}
