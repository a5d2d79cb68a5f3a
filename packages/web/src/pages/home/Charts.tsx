import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useMemo } from "react"
import { statisticsQuery } from "../../api/queries.ts"
import { formatCompact, formatMs, formatPercent } from "../../format.ts"
import { Chart } from "../../parts/Chart.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { texts } from "../../texts.ts"
import classes from "./Overview.module.css"
import { filterOf, maxOf, medianOf, type Range, ranges, seriesOf, sumOf } from "./series.ts"

const t = texts.charts

/** The charts of a range. `channel`: only that channel's, without triggers. */
export function Charts({ range, channel }: { range: Range; channel?: string }) {
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(statisticsQuery(filterOf(range, channel)))
  const shown = useMemo(() => (data ? seriesOf(data, range) : null), [data, range])
  if (error) return <Failed error={error} retry={refetch} />
  if (!shown) return <Loading />

  const { seconds, merged } = ranges[range]
  const spanOf = (time: number) => [
    new Date(time * 1_000).toISOString(),
    new Date((time + seconds * merged) * 1_000).toISOString(),
  ]
  const open = {
    hint: t.open,
    at(time: number) {
      const [created_after, created_before] = spanOf(time)
      const search = { ...(channel ? { channel } : {}), created_after, created_before }
      void navigate({ to: "/deliveries", search })
    },
  }
  const openSyncs = {
    hint: t.openSyncs,
    at(time: number) {
      const [started_after, started_before] = spanOf(time)
      void navigate({ to: "/syncs", search: { started_after, started_before } })
    },
  }
  const { times } = shown
  const delivered = sumOf(shown.delivered)
  const failed = sumOf(shown.failed)
  const rate = delivered + failed === 0 ? "–" : formatPercent(delivered / (delivered + failed))
  const worst = maxOf(shown.p99)
  const ms = (value: number | null) => (value === null ? "–" : formatMs(value))
  return (
    <div className={classes.charts} data-count={channel === undefined ? 4 : 3}>
      <Chart
        label={t.deliveries}
        times={times}
        format={formatCompact}
        open={open}
        series={[
          {
            label: t.created,
            values: shown.deliveries,
            color: "--chart-1",
            filled: true,
            summary: formatCompact(sumOf(shown.deliveries)),
          },
          {
            label: t.failedAttempts,
            values: shown.failed,
            color: "--chart-2",
            summary: formatCompact(failed),
          },
        ]}
      />
      <Chart
        label={t.success}
        times={times}
        format={formatPercent}
        max={1}
        open={open}
        series={[
          {
            label: t.rate,
            values: shown.success,
            color: "--chart-1",
            filled: true,
            spanGaps: true,
            summary: rate,
          },
        ]}
      />
      <Chart
        label={t.latency}
        times={times}
        format={formatMs}
        logarithmic
        open={open}
        series={[
          {
            label: "p50",
            values: shown.p50,
            color: "--chart-1",
            spanGaps: true,
            summary: ms(medianOf(shown.p50)),
          },
          {
            label: "p99",
            values: shown.p99,
            color: "--chart-3",
            spanGaps: true,
            summary: worst === null ? "–" : t.atMost(formatMs(worst)),
          },
        ]}
      />
      {channel === undefined && (
        <Chart
          label={t.triggers}
          times={times}
          format={formatCompact}
          open={openSyncs}
          series={[
            {
              label: t.triggersAccepted,
              values: shown.triggers,
              color: "--chart-1",
              filled: true,
              summary: formatCompact(sumOf(shown.triggers)),
            },
            {
              label: t.syncs,
              values: shown.syncs,
              color: "--chart-3",
              summary: formatCompact(sumOf(shown.syncs)),
            },
          ]}
        />
      )}
    </div>
  )
}
