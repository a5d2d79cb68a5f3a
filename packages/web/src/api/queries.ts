import type { Incident } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import type { Operation } from "@sitewire/contracts/routes"
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { api, versionOf } from "./client.ts"
import { failureOf } from "./failure.ts"

/** The filters of a list as they are in the URL: texts. */
type FilterOf<Name extends Operation> = {
  [Filter in Exclude<keyof Input<Name>, "cursor" | "limit">]?: Extract<Input<Name>[Filter], string>
}

export type DeliveryFilter = Omit<FilterOf<"listDeliveries">, "error" | "waiting_for">
export type ChannelFilter = FilterOf<"listChannels">
export type ConnectionFilter = FilterOf<"listConnections">
export type IncidentFilter = Omit<FilterOf<"listIncidents">, "state">
export type AuditFilter = FilterOf<"listAudit">
type StatisticsFilter = Input<"readStatistics">

type ListPage<Row> = { data: Row[]; next_cursor: string | null }

function listOptions<Row, Page extends ListPage<Row>>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
}

export const deliveriesQuery = (filter: DeliveryFilter) =>
  listOptions(["deliveries", "list", filter], (cursor, signal) =>
    api.listDeliveries({ ...filter, cursor, limit: 100 }, { signal }),
  )

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ["deliveries", id],
    queryFn: ({ signal }) => api.readDelivery({ id }, { signal }),
    // The stream does not report that an old delivery is deferred.
    refetchInterval: ({ state: { data } }) => (data?.state === "pending" ? 10_000 : false),
  })

/** Those before the attempts that the delivery itself contains. */
export const earlierAttemptsQuery = (id: string, from: string) =>
  listOptions(["deliveries", id, "attempts", from], (cursor = from, signal) =>
    api.listAttempts({ id, cursor }, { signal }),
  )

export const channelsQuery = (filter: ChannelFilter) =>
  listOptions(["channels", "list", filter], (cursor, signal) =>
    api.listChannels({ ...filter, cursor, limit: 50 }, { signal }),
  )

/** A few channels whose id or host contains the text. */
export const channelSuggestionsQuery = (text: string) =>
  queryOptions({
    queryKey: ["channels", "list", "suggestions", text],
    queryFn: ({ signal }) => api.listChannels({ ...(text ? { q: text } : {}), limit: 8 }, { signal }),
    placeholderData: keepPreviousData,
  })

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ["channels", id],
    queryFn: ({ signal }) => versionOf(api.readChannel({ id }, { signal })),
  })

export const channelHealthQuery = (id: string) =>
  queryOptions({
    queryKey: ["channels", id, "health"],
    queryFn: ({ signal }) => api.readChannelHealth({ id }, { signal }),
    refetchInterval: 10_000,
  })

export const connectionsQuery = (filter: ConnectionFilter) =>
  listOptions(["connections", "list", filter], (cursor, signal) =>
    api.listConnections({ ...filter, cursor, limit: 50 }, { signal }),
  )

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id],
    queryFn: ({ signal }) => versionOf(api.readConnection({ id }, { signal })),
  })

export const windowsQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id, "windows"],
    queryFn: ({ signal }) => api.listWindows({ id, limit: 60 }, { signal }),
  })

/** The newest syncs that changed the content. */
export const changesQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ["connections", id, "changes"],
    queryFn: ({ signal }) => api.listSyncs({ connection: id, outcome: "changed", limit }, { signal }),
  })

/** The content of a connection, at most its first 64 KiB. Null: nothing has been fetched yet. */
export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id, "snapshot"],
    queryFn: async ({ signal }) => {
      const response = await fetch(`/v1/connections/${encodeURIComponent(id)}/snapshot`, { signal })
      if (response.status === 404) return null
      if (!response.ok) throw failureOf(response, await response.json())
      const bytes = Number(response.headers.get("content-length"))
      const start = await readStart(response, 64 * 1024)
      return {
        bytes,
        type: response.headers.get("content-type") ?? "",
        storedAt: new Date(response.headers.get("last-modified") ?? "").toISOString(),
        ...start,
      }
    },
  })

async function readStart(response: Response, limit: number): Promise<{ text: string; complete: boolean }> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    if (text.length < limit) continue
    await reader.cancel()
    return { text: text.slice(0, limit), complete: false }
  }
  return { text, complete: true }
}

export const invalidEventsQuery = () =>
  listOptions(["invalid-events"], (cursor, signal) =>
    api.listInvalidEvents({ cursor, limit: 50 }, { signal }),
  )

export const jobsQuery = () =>
  listOptions(["jobs", "list"], (cursor, signal) => api.listJobs({ cursor, limit: 50 }, { signal }))

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ["jobs", id],
    queryFn: ({ signal }) => api.readJob({ id }, { signal }),
    // A job that is done waits for nothing, but what it has resent may.
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "running" ? 1_000 : data.outcome?.pending ? 5_000 : false,
  })

export const keysQuery = () =>
  listOptions(["keys"], (cursor, signal) => api.listApiKeys({ cursor, limit: 50 }, { signal }))

export const sessionsQuery = () =>
  listOptions(["sessions"], (cursor, signal) => api.listSessions({ cursor, limit: 50 }, { signal }))

export const resolvedIncidentsQuery = (filter: IncidentFilter) =>
  listOptions(["incidents", "resolved", filter], (cursor, signal) => {
    const query = { ...filter, state: "resolved", cursor, limit: 50 } as const
    return api.listIncidents({ ...query }, { signal })
  })

export const auditQuery = (filter: AuditFilter) =>
  listOptions(["audit", filter], (cursor, signal) =>
    api.listAudit({ ...filter, cursor, limit: 50 }, { signal }),
  )

export const statisticsQuery = (filter: StatisticsFilter) =>
  queryOptions({
    queryKey: ["statistics", filter],
    queryFn: ({ signal }) => api.readStatistics({ ...filter }, { signal }),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

/** All of them, in the order of the API, with what it says of the channels. */
export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "open"],
  async queryFn({ signal }) {
    const incidents: Incident[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await api.listIncidents({ state: "open", limit: 100, cursor }, { signal })
      incidents.push(...page.data)
      if (page.next_cursor === null) return { incidents, channels: page.channels }
      cursor = page.next_cursor
    }
  },
  refetchInterval: 15_000,
})
