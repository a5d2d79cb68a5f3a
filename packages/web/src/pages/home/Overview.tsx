import { SegmentedControl } from "@mantine/core"
import { lazy, Suspense } from "react"
import { useFilters } from "../../app/search.ts"
import { Loading } from "../../parts/Loading.tsx"
import { PageHead, Rows } from "../../parts/Page.tsx"
import { pageNames } from "../../words.ts"
import { Incidents } from "./Incidents.tsx"
import classes from "./Overview.module.css"
import { type Range, rangeOf, ranges } from "./series.ts"

const rangeNames = { "1h": "1 h", "24h": "24 h" } as const

const Charts = lazy(() => import("./Charts.tsx").then(({ Charts: component }) => ({ default: component })))

export function Overview() {
  const [{ range: given }, change] = useFilters<{ range?: string }>()
  const range = rangeOf(given)
  return (
    <>
      <PageHead title={pageNames.overview} />
      <Rows>
        <Incidents />
        <div className={classes.rangeRow}>
          <h2>Activity</h2>
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            value={range}
            onChange={(value) => change({ range: value })}
            data={Object.keys(ranges).map((value) => ({ value, label: rangeNames[value as Range] }))}
          />
        </div>
        <Suspense fallback={<Loading />}>
          <Charts range={range} />
        </Suspense>
      </Rows>
    </>
  )
}
