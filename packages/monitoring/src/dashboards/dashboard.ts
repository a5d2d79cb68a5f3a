export type Unit = "per second" | "seconds" | "share" | "count" | "bytes"

export type Query = {
  /** `$rate` is the range of rates: at least four times the interval of scrapes. */
  expr: string
  /** `{{label}}` is a label's value. */
  legend: string
}

export type Panel = {
  title: string
  /** What to read from it, for somebody who sees it first. */
  help: string
  /** number: only the newest value. */
  kind: "number" | "lines"
  unit: Unit
  /** Of 24 columns. */
  width: number
  queries: Query[]
  /** The value from which an alert fires. */
  alertAbove?: number
}

export type Dashboard = { id: string; title: string; panels: Panel[] }

type Own = Pick<Panel, "title" | "help" | "unit" | "queries"> & Partial<Panel>

export const number = (panel: Own): Panel => ({ kind: "number", width: 4, ...panel })
export const lines = (panel: Own): Panel => ({ kind: "lines", width: 12, ...panel })

/** p50 and p99 of a histogram. */
export function quantiles(histogram: string, selector = ""): Query[] {
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${histogram}_bucket${selector}[$rate])))`,
    legend: `p${quantile * 100}`,
  }))
}
