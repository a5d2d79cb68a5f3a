import { queryOptions } from "@tanstack/react-query"
import { api, bodyOf, type Schemas } from "../../api/client.ts"

/** A page of the API. Of more, only that there are more is said. */
const limit = 100
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
