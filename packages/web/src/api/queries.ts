import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query"
import { api, bodyOf, type Schemas, versionOf } from "./client.ts"
import type { paths } from "./schema.ts"

type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } }
}
  ? Omit<NonNullable<Query>, "cursor" | "limit">
  : never

export type DeliveryFilter = QueryOf<"/v1/deliveries">
export type ChannelFilter = QueryOf<"/v1/channels">
export type ConnectionFilter = QueryOf<"/v1/connections">
export type SyncFilter = QueryOf<"/v1/syncs">
export type IncidentFilter = Omit<QueryOf<"/v1/incidents">, "state">
export type AuditFilter = QueryOf<"/v1/audit">
type StatisticsFilter = QueryOf<"/v1/statistics">

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
    bodyOf(api.GET("/v1/deliveries", { params: { query: { ...filter, cursor, limit: 100 } }, signal })),
  )

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ["deliveries", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/deliveries/{id}", { params: { path: { id } }, signal })),
    // The stream does not report that an old delivery is deferred.
    refetchInterval: ({ state: { data } }) => (data?.state === "pending" ? 10_000 : false),
  })

/** Those before the attempts that the delivery itself contains. */
export const earlierAttemptsQuery = (id: string, from: string) =>
  listOptions(["deliveries", id, "attempts", from], (cursor = from, signal) =>
    bodyOf(api.GET("/v1/deliveries/{id}/attempts", { params: { path: { id }, query: { cursor } }, signal })),
  )

export const channelsQuery = (filter: ChannelFilter) =>
  listOptions(["channels", "list", filter], (cursor, signal) =>
    bodyOf(api.GET("/v1/channels", { params: { query: { ...filter, cursor, limit: 50 } }, signal })),
  )

/** A few channels whose id or host contains the text. */
export const channelSuggestionsQuery = (text: string) =>
  queryOptions({
    queryKey: ["channels", "list", "suggestions", text],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/v1/channels", { params: { query: { ...(text ? { q: text } : {}), limit: 8 } }, signal }),
      ),
    placeholderData: keepPreviousData,
  })

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ["channels", id],
    queryFn: ({ signal }) => versionOf(api.GET("/v1/channels/{id}", { params: { path: { id } }, signal })),
  })

export const channelHealthQuery = (id: string) =>
  queryOptions({
    queryKey: ["channels", id, "health"],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/v1/channels/{id}/health", { params: { path: { id } }, signal })),
    refetchInterval: 10_000,
  })

export const connectionsQuery = (filter: ConnectionFilter) =>
  listOptions(["connections", "list", filter], (cursor, signal) =>
    bodyOf(api.GET("/v1/connections", { params: { query: { ...filter, cursor, limit: 50 } }, signal })),
  )

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id],
    queryFn: ({ signal }) => versionOf(api.GET("/v1/connections/{id}", { params: { path: { id } }, signal })),
  })

export const windowsQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id, "windows"],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET("/v1/connections/{id}/windows", { params: { path: { id }, query: { limit: 60 } }, signal }),
      ),
  })

export const syncsQuery = (filter: SyncFilter) =>
  listOptions(["syncs", "list", filter], (cursor, signal) =>
    bodyOf(api.GET("/v1/syncs", { params: { query: { ...filter, cursor, limit: 50 } }, signal })),
  )

/** The content of a connection, at most its first 64 KiB. Null: nothing has been fetched yet. */
export const snapshotQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id, "snapshot"],
    queryFn: async ({ signal }) => {
      const response = await fetch(`/v1/connections/${encodeURIComponent(id)}/snapshot`, { signal })
      if (response.status === 404) return null
      if (!response.ok) await bodyOf(Promise.resolve({ error: await response.json(), response }))
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
    bodyOf(api.GET("/v1/invalid-events", { params: { query: { cursor, limit: 50 } }, signal })),
  )

export const jobsQuery = () =>
  listOptions(["jobs", "list"], (cursor, signal) =>
    bodyOf(api.GET("/v1/jobs", { params: { query: { cursor, limit: 50 } }, signal })),
  )

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ["jobs", id],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/jobs/{id}", { params: { path: { id } }, signal })),
    // A job that is done waits for nothing, but what it has resent may.
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === "running" ? 1_000 : data.outcome?.pending ? 5_000 : false,
  })

export const keysQuery = () =>
  listOptions(["keys"], (cursor, signal) =>
    bodyOf(api.GET("/v1/keys", { params: { query: { cursor, limit: 50 } }, signal })),
  )

export const sessionsQuery = () =>
  listOptions(["sessions"], (cursor, signal) =>
    bodyOf(api.GET("/v1/sessions", { params: { query: { cursor, limit: 50 } }, signal })),
  )

export const resolvedIncidentsQuery = (filter: IncidentFilter) =>
  listOptions(["incidents", "resolved", filter], (cursor, signal) => {
    const query = { ...filter, state: "resolved", cursor, limit: 50 } as const
    return bodyOf(api.GET("/v1/incidents", { params: { query }, signal }))
  })

export const auditQuery = (filter: AuditFilter) =>
  listOptions(["audit", filter], (cursor, signal) =>
    bodyOf(api.GET("/v1/audit", { params: { query: { ...filter, cursor, limit: 50 } }, signal })),
  )

export const statisticsQuery = (filter: StatisticsFilter) =>
  queryOptions({
    queryKey: ["statistics", filter],
    queryFn: ({ signal }) => bodyOf(api.GET("/v1/statistics", { params: { query: filter }, signal })),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

/** All of them, in the order of the API, with what it says of the channels. */
export const openIncidentsQuery = queryOptions({
  queryKey: ["incidents", "open"],
  async queryFn({ signal }) {
    const incidents: Schemas["Incident"][] = []
    for (let cursor: string | undefined; ; ) {
      const query = { state: "open", limit: 100, ...(cursor && { cursor }) } as const
      const page = await bodyOf(api.GET("/v1/incidents", { params: { query }, signal }))
      incidents.push(...page.data)
      if (page.next_cursor === null) return { incidents, channels: page.channels }
      cursor = page.next_cursor
    }
  },
  refetchInterval: 15_000,
})
