import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { statisticsQuery } from "../../api/queries.ts"
import { formatCompact, formatMs, formatPercent } from "../../format.ts"
import { Chart, type Series } from "../../parts/Chart.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Time } from "../../parts/Time.tsx"
import classes from "./Overview.module.css"
import { failuresOf, filterOf, lengthOf, type Range, seriesOf, successOf, syncsOf } from "./series.ts"

export function Charts({ range }: { range: Range }) {
  const navigate = useNavigate()
  const filter = filterOf(range)
  const { data, error, refetch } = useQuery(statisticsQuery(filter))
  const from = filter.created_after
  const shown = useMemo(() => (data ? seriesOf(data, range, from) : null), [data, range, from])
  if (error) return <Failed error={error} retry={refetch} />
  if (!data || !shown) return <Loading />

  const open = {
    hint: "Press Enter to see the deliveries of the selected time.",
    at(time: number) {
      const created_after = new Date(time * 1_000).toISOString()
      const created_before = new Date((time + lengthOf(range)) * 1_000).toISOString()
      void navigate({ to: "/deliveries", search: { created_after, created_before } })
    },
  }
  const { times, incomplete } = shown
  const { total, counted_before } = data
  const success = successOf(total)
  const triggers = total.triggers ?? { accepted: 0, covered: 0 }
  const ms = (value: number | undefined) => (value === undefined ? "–" : formatMs(value))
  const chart = { times, incomplete }
  return (
    <div>
      <div className={classes.charts}>
        <Chart
          {...chart}
          label="Deliveries"
          format={formatCompact}
          open={open}
          series={[
            line("created", shown.deliveries, "--chart-1", formatCompact(total.deliveries), true),
            line("failed attempts", shown.failed, "--chart-2", formatCompact(failuresOf(total))),
          ]}
        />
        <Chart
          {...chart}
          label="Success rate"
          format={formatPercent}
          max={1}
          open={open}
          series={[
            line(
              "of attempts",
              shown.success,
              "--chart-1",
              success === null ? "–" : formatPercent(success),
              true,
            ),
          ]}
        />
        <Chart
          {...chart}
          label="Latency"
          format={formatMs}
          logarithmic
          open={open}
          series={[
            line("p50", shown.p50, "--chart-1", ms(total.latency_ms?.p50)),
            line("p99", shown.p99, "--chart-3", ms(total.latency_ms?.p99)),
          ]}
        />
        <Chart
          {...chart}
          label="Triggers and syncs"
          format={formatCompact}
          series={[
            line("accepted triggers", shown.accepted, "--chart-1", formatCompact(triggers.accepted), true),
            line("covered triggers", shown.covered, "--chart-4", formatCompact(triggers.covered)),
            line("syncs", shown.syncs, "--chart-3", formatCompact(syncsOf(total))),
          ]}
        />
      </div>
      <p className={classes.counted}>
        Counted until <Time at={counted_before} />.
        {incomplete && ` The newest point of each line is not complete yet.`}
      </p>
    </div>
  )
}

function line(
  label: string,
  values: Series["values"],
  color: Series["color"],
  summary: string,
  filled = false,
): Series {
  return { label, values, color, summary, filled }
}
