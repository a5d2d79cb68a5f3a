import type { DryRun, Job } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"

/**
 * Counts what a job would process. Not again by itself, because a count may take seconds. The result is removed with the
 * dialog, so that the page does not keep an e-mail address of its key.
 */
export function useDryRun(
  of: readonly unknown[],
  count: (signal: AbortSignal) => Promise<DryRun | Job>,
  { enabled = true } = {},
) {
  return useQuery({
    queryKey: ["dry run", ...of],
    queryFn: async ({ signal }) => (await count(signal)) as DryRun,
    enabled,
    gcTime: 0,
    staleTime: "static",
  })
}
