import { queryOptions } from "@tanstack/react-query"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { formatCounted } from "../../format.ts"

/** A page of the API. Of more, only that there are more is said. */
const limit = 100
/** So many are shown each for itself. The health of each failing channel is read, one after the other. */
const shown = 10
const dayMs = 86_400_000
const refetchInterval = 15_000

export const failingChannels = queryOptions({
  queryKey: ["channels", "list", "failing"],
  queryFn: ({ signal }) =>
    bodyOf(api.GET("/v1/channels", { params: { query: { health: "failing", limit } }, signal })),
  refetchInterval,
})

export const pausedChannels = queryOptions({
  queryKey: ["channels", "list", "paused"],
  queryFn: ({ signal }) =>
    bodyOf(api.GET("/v1/channels", { params: { query: { paused: "true", limit } }, signal })),
  refetchInterval,
})

export const failingConnections = queryOptions({
  queryKey: ["connections", "list", "failing"],
  queryFn: ({ signal }) =>
    bodyOf(api.GET("/v1/connections", { params: { query: { state: "failing", limit } }, signal })),
  refetchInterval,
})

export const invalidToday = queryOptions({
  queryKey: ["invalid-events", "today"],
  queryFn: async ({ signal }) => {
    const page = await bodyOf(api.GET("/v1/invalid-events", { params: { query: { limit: 100 } }, signal }))
    const today = page.data.filter(({ rejected_at }) => rejected_at >= dayAgo())
    return { count: today.length, more: today.length === 100, newest: today[0]?.reason ?? "" }
  },
  refetchInterval: 60_000,
  retry: false,
})

/** The first of a list, and how many there are besides, such as `12` or `90+`, or null if there are no others. */
export function firstOf<T>(page: { data: T[]; next_cursor: string | null } | undefined): {
  first: T[]
  others: string | null
} {
  const { data, next_cursor } = page ?? { data: [], next_cursor: null }
  const count = data.length - shown
  const others = count > 0 ? formatCounted(count, next_cursor !== null) : null
  return { first: data.slice(0, shown), others }
}

/** What is overdue and what is dead, without points. */
export const lateOrDead = queryOptions({
  queryKey: ["statistics", "late or dead"],
  queryFn: ({ signal }) => {
    const query = { created_after: new Date().toISOString() }
    return bodyOf(api.GET("/v1/statistics", { params: { query }, signal }))
  },
  refetchInterval,
})

/** All problems that the console has noticed, with who cares for them. Some are read above, too, with more detail. */
export const openProblems = queryOptions({
  queryKey: ["problems", "open"],
  async queryFn({ signal }) {
    const problems: Schemas["OperatorProblem"][] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { state: "open", limit: 100, ...(cursor && { cursor }) } as const
      const page = await bodyOf(api.GET("/v1/problems", { params: { query }, signal }))
      problems.push(...page.data)
      cursor = page.next_cursor
    }
    return problems
  },
  refetchInterval,
})

function dayAgo(): string {
  return new Date(Date.now() - dayMs).toISOString()
}
