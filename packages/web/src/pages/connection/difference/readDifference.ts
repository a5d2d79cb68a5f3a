import { queryOptions } from "@tanstack/react-query"
import { failureOf } from "../../../api/failure.ts"
import type { Comparison } from "./compare.ts"

const maxBytes = 1_048_576

/** `fence` names the sync that changed the content: nothing is read again before the next change. */
export const differenceQuery = (id: string, fence: number) =>
  queryOptions({
    queryKey: ["difference", id, fence],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Comparison | { kind: "not stored" | "too large" }> => {
      const path = `/v1/connections/${encodeURIComponent(id)}/snapshot`
      const after = await read(path, signal)
      if (after === "too large") return { kind: "too large" }
      const before = await read(`${path}/previous`, signal)
      if (before === "too large") return { kind: "too large" }
      if (before === null || after === null) return { kind: "not stored" }
      const { compare } = await import("./compare.ts")
      return compare(before, after)
    },
  })

/** Null: it is not stored. */
async function read(path: string, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(path, { signal })
  if (response.status === 404) return null
  if (!response.ok) throw failureOf(response, await response.json())
  if (Number(response.headers.get("content-length")) <= maxBytes) return response.text()
  await response.body?.cancel()
  return "too large"
}
