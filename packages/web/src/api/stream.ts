import type { StreamedDelivery } from "@sitewire/contracts"
import type { Output } from "@sitewire/contracts/client"
import type { InfiniteData } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { queryClient } from "./queryClient.ts"
import { isNotSession, sessionQuery } from "./session.ts"
import { afterChange } from "./streamedDelivery.ts"

/** `since` is null while updates arrive. `deliveryAt` is the time of the last change of a delivery. */
type StreamState = { since: number | null; deliveryAt: number }

let state: StreamState = { since: null, deliveryAt: 0 }
const listeners = new Set<() => void>()

function setState(change: Partial<StreamState>): void {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}

export function useStreamState(): StreamState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

const reopenAfterMs = 5_000
/** The stream sends something at least every 10 seconds. */
const silentAfterMs = 25_000
const refreshEveryMs = 2_000

/** Follows changes until the returned function is called, and lets the queries that they concern read again. */
export function followChanges(): () => void {
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  let heardAt = Date.now()
  const changed = new Set<string>()

  function open(): void {
    source = new EventSource("/v1/stream")
    source.addEventListener("open", () => {
      heardAt = Date.now()
      if (state.since !== null) void queryClient.invalidateQueries({ predicate: isNotSession })
      setState({ since: null })
    })
    source.addEventListener("error", interrupted)
    on("delivery", (delivery: StreamedDelivery) => {
      setState({ deliveryAt: Date.now() })
      changed.add(`deliveries ${delivery.id}`)
      changed.add("deliveries list")
      patchDelivery(delivery)
    })
    on("sync", ({ connection }: { connection: string }) => {
      changed.add(`connections ${connection}`)
      changed.add("connections list")
    })
    on("channel", ({ id }: { id: string }) => {
      changed.add(`channels ${id}`)
      changed.add("channels list")
    })
    on("job", ({ id }: { id: string }) => {
      changed.add(`jobs ${id}`)
      changed.add("jobs list")
    })
    on("heartbeat", () => {})
    on("reset", () => void queryClient.invalidateQueries({ predicate: isNotSession }))
    on("end", ({ reason }: { reason: string }) => {
      if (reason === "key-invalid") void queryClient.invalidateQueries(sessionQuery)
    })
  }

  function on<Data>(event: string, handle: (data: Data) => void): void {
    source?.addEventListener(event, (message) => {
      heardAt = Date.now()
      handle(JSON.parse(message.data))
    })
  }

  function interrupted(): void {
    if (state.since === null) setState({ since: Date.now() })
    // A browser opens an interrupted stream again, but not one that was rejected.
    if (source?.readyState !== EventSource.CLOSED) return
    clearTimeout(reopening)
    reopening = setTimeout(open, reopenAfterMs)
  }

  const ticking = setInterval(() => {
    for (const key of changed) {
      // A running read would be cancelled, and one that takes longer than the interval would never end.
      if (queryClient.isFetching({ queryKey: key.split(" ") }) > 0) continue
      changed.delete(key)
      refresh(key)
    }
    if (Date.now() - heardAt < silentAfterMs || source?.readyState !== EventSource.OPEN) return
    source.close()
    interrupted()
  }, refreshEveryMs)

  open()
  return () => {
    clearInterval(ticking)
    clearTimeout(reopening)
    source?.close()
    setState({ since: null })
  }
}

function refresh(key: string): void {
  const queryKey = key.split(" ")
  if (key !== "deliveries list") {
    void queryClient.invalidateQueries({ queryKey })
    return
  }
  // A list of many pages would be read again from its beginning, and jump.
  void queryClient.invalidateQueries({
    queryKey,
    predicate: ({ state: { data } }) => ((data as InfiniteData<unknown> | undefined)?.pages.length ?? 0) <= 1,
  })
}

type DeliveryPages = InfiniteData<Output<"listDeliveries">>

/** Shows a change at once in the lists that contain the delivery. */
function patchDelivery(delivery: StreamedDelivery): void {
  const { id } = delivery
  queryClient.setQueriesData<DeliveryPages>({ queryKey: ["deliveries", "list"] }, (lists) => {
    if (!lists?.pages.some(({ data }) => data.some((row) => row.id === id))) return lists
    const pages = lists.pages.map((page) => ({
      ...page,
      data: page.data.map((row) => (row.id === id ? afterChange(row, delivery) : row)),
    }))
    return { ...lists, pages }
  })
}
