import type { RangeSeries } from "../../prometheus/queryPrometheus.ts"
import type { Unit } from "../dashboard.ts"
import { escapeHtml } from "./escapeHtml.ts"
import { formatValue } from "./formatValue.ts"
import { niceTicks } from "./niceTicks.ts"

/** Distinguishable also with impaired colour vision (Okabe and Ito), without the yellow that white hides. */
export const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#e69f00",
  "#5b4a9c",
  "#7a7a7a",
  "#9c2a2a",
]

export type Line = { name: string; values: RangeSeries["values"] }

const margin = { left: 62, right: 12, top: 8, bottom: 22 }

export function renderChart(
  lines: readonly Line[],
  {
    from,
    to,
    width,
    height,
    unit,
    alertAbove,
    stepSeconds,
  }: {
    from: Date
    to: Date
    width: number
    height: number
    unit: Unit
    alertAbove: number | undefined
    stepSeconds: number
  },
): string {
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map(([, value]) => finite(value))))
  const ticks = niceTicks(highest, unit === "bytes" ? 2 : 10)
  const top = ticks.at(-1) ?? 1
  const [start, end] = [from.getTime() / 1_000, to.getTime() / 1_000]
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }
  const x = (seconds: number) => margin.left + ((seconds - start) / (end - start)) * inner.width
  const y = (value: number) => margin.top + (1 - value / top) * inner.height
  const number = (value: number) => value.toFixed(1)

  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${number(y(tick))}" y2="${number(y(tick))}"/>` +
      `<text x="${margin.left - 8}" y="${number(y(tick) + 4)}" text-anchor="end">${formatValue(tick, unit)}</text>`,
  )
  const times = Array.from({ length: 5 }, (_, at) => start + ((end - start) * at) / 4).map(
    (seconds, at) =>
      `<text x="${number(x(seconds))}" y="${height - 6}" text-anchor="${at === 0 ? "start" : at === 4 ? "end" : "middle"}">${clock(seconds)}</text>`,
  )
  const alert =
    alertAbove !== undefined && alertAbove < top
      ? `<line class="alert" x1="${margin.left}" x2="${width - margin.right}" y1="${number(y(alertAbove))}" y2="${number(y(alertAbove))}"/>`
      : ""
  const paths = lines.map(({ values }, index) => {
    let last = Number.NEGATIVE_INFINITY
    const points = values
      .filter(([, value]) => Number.isFinite(value))
      .map(([seconds, value]) => {
        const command = seconds - last > 1.5 * stepSeconds ? "M" : "L"
        last = seconds
        return `${command}${number(x(seconds))} ${number(y(value))}`
      })
    return `<path d="${points.join("")}" stroke="${colours[index % colours.length]}"/>`
  })
  return `<svg width="${width}" height="${height}">${grid.join("")}${times.join("")}${alert}${paths.toReversed().join("")}</svg>`
}

export function renderLegend(lines: readonly Line[], unit: Unit): string {
  const items = lines.map(({ name, values }, index) => {
    const newest = values.findLast(([, value]) => Number.isFinite(value))?.[1] ?? Number.NaN
    return `<span><i style="background:${colours[index % colours.length]}"></i>${escapeHtml(name)} <b>${formatValue(newest, unit)}</b></span>`
  })
  return `<div class="legend">${items.join("")}</div>`
}

const finite = (value: number) => (Number.isFinite(value) ? value : 0)

function clock(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(11, 16)
}
