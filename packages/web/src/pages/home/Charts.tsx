import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { statisticsQuery } from "../../api/queries.ts"
import { formatCompact, formatMs, formatPercent } from "../../format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Overview.module.css"
import { failuresOf, filterOf, lengthOf, type Range, seriesOf, successOf, syncsOf } from "./series.ts"

const t = texts.charts

export function Charts({ range }: { range: Range }) {
  const navigate = useNavigate()
  const filter = filterOf(range)
  const { data, error, refetch } = useQuery(statisticsQuery(filter))
  const from = filter.created_after
  const shown = useMemo(() => (data ? seriesOf(data, range, from) : null), [data, range, from])
  if (error) return <Failed error={error} retry={refetch} />
  if (!data || !shown) return <Loading />

  const open = {
    hint: t.open,
    at(time: number) {
      const created_after = new Date(time * 1_000).toISOString()
      const created_before = new Date((time + lengthOf(range)) * 1_000).toISOString()
      void navigate({ to: "/deliveries", search: { created_after, created_before } })
    },
  }
  const { times, incomplete } = shown
  const { total, counted_before } = data
  const success = successOf(total)
  const ms = (value: number | undefined) => (value === undefined ? "–" : formatMs(value))
  return (
    <div>
      <div className={classes.charts}>
        <Chart
          label={t.deliveries}
          times={times}
          incomplete={incomplete}
          format={formatCompact}
          open={open}
          series={[
            {
              label: t.created,
              values: shown.deliveries,
              color: "--chart-1",
              filled: true,
              summary: formatCompact(total.deliveries),
            },
            {
              label: t.failedAttempts,
              values: shown.failed,
              color: "--chart-2",
              summary: formatCompact(failuresOf(total)),
            },
          ]}
        />
        <Chart
          label={t.success}
          times={times}
          incomplete={incomplete}
          format={formatPercent}
          max={1}
          open={open}
          series={[
            {
              label: t.rate,
              values: shown.success,
              color: "--chart-1",
              filled: true,
              summary: success === null ? "–" : formatPercent(success),
            },
          ]}
        />
        <Chart
          label={t.latency}
          times={times}
          incomplete={incomplete}
          format={formatMs}
          logarithmic
          open={open}
          series={[
            {
              label: "p50",
              values: shown.p50,
              color: "--chart-1",
              summary: ms(total.latency_ms?.p50),
            },
            {
              label: "p99",
              values: shown.p99,
              color: "--chart-3",
              summary: ms(total.latency_ms?.p99),
            },
          ]}
        />
        <Chart
          label={t.triggers}
          times={times}
          incomplete={incomplete}
          format={formatCompact}
          series={[
            {
              label: t.triggersAccepted,
              values: shown.accepted,
              color: "--chart-1",
              filled: true,
              summary: formatCompact(total.triggers?.accepted ?? 0),
            },
            {
              label: t.triggersCovered,
              values: shown.covered,
              color: "--chart-4",
              summary: formatCompact(total.triggers?.covered ?? 0),
            },
            {
              label: t.syncs,
              values: shown.syncs,
              color: "--chart-3",
              summary: formatCompact(syncsOf(total)),
            },
          ]}
        />
      </div>
      <p className={classes.counted}>
        {t.countedUntil} <Time at={counted_before} />.{incomplete && ` ${t.incomplete}`}
      </p>
    </div>
  )
}
