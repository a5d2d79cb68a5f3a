import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"

/**
 * Counts what a job would process. Not again by itself, because a count may take seconds. The result is removed with the
 * dialog, so that the page does not keep an e-mail address of its key.
 */
export function useDryRun(
  of: readonly unknown[],
  count: (signal: AbortSignal) => Promise<Schemas["DryRun"] | Schemas["Job"]>,
  { enabled = true } = {},
) {
  return useQuery({
    queryKey: ["dry run", ...of],
    queryFn: async ({ signal }) => (await count(signal)) as Schemas["DryRun"],
    enabled,
    gcTime: 0,
    staleTime: "static",
  })
}
