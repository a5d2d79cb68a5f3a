import { accessOf } from "../../api/access.ts"
import { openIncidentsQuery, statisticsQuery } from "../../api/queries.ts"
import { queryClient } from "../../api/queryClient.ts"
import { sessionQuery } from "../../api/session.ts"
import { filterOf, rangeOf } from "./series.ts"

/** Requests what the overview shows while the code of the page is still loading. The page shows errors. */
export async function loadOverview(range: string | undefined): Promise<void> {
  const state = await queryClient.fetchQuery(sessionQuery).catch(() => null)
  if (state?.kind !== "signed in" || !accessOf(state.session).reads) return
  void import("./Charts.tsx")
  void queryClient.prefetchQuery(openIncidentsQuery)
  void queryClient.prefetchQuery(statisticsQuery(filterOf(rangeOf(range))))
}
