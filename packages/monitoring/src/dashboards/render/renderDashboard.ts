import { queryRange } from "../../prometheus/queryPrometheus.ts"
import type { Dashboard, Panel, Query } from "../dashboard.ts"
import { placePanels } from "../placePanels.ts"
import { escapeHtml } from "./escapeHtml.ts"
import { formatValue } from "./formatValue.ts"
import { colours, type Line, renderChart, renderLegend } from "./renderChart.ts"

export type Period = { from: Date; to: Date; stepSeconds: number; rateSeconds: number }
export type Rendered = { html: string; width: number; height: number; withoutData: string[] }

const width = 1_600
const unitHeight = 38
const gap = 12
const header = 76

/** A page that shows the dashboard as Grafana would. `withoutData`: queries that returned nothing. */
export async function renderDashboard(
  prometheus: string,
  { title, panels }: Dashboard,
  period: Period,
): Promise<Rendered> {
  const withoutData: string[] = []
  const column = (width - gap) / 24
  const placed = placePanels(panels)
  const tiles = await Promise.all(
    placed.map(async ({ panel, x, y, w, h }) => {
      const lines = (
        await Promise.all(panel.queries.map((query) => readLines(prometheus, query, period, withoutData)))
      ).flat()
      const size = { width: w * column - gap, height: h * unitHeight - gap }
      const place = `left:${gap + x * column}px;top:${header + y * unitHeight}px;width:${size.width}px;height:${size.height}px`
      return `<section style="${place}"><h2>${escapeHtml(panel.title)}</h2><p>${escapeHtml(panel.help)}</p>${content(panel, lines, period, size)}</section>`
    }),
  )
  const height = header + Math.max(...placed.map(({ y, h }) => y + h)) * unitHeight
  const range = `${period.from.toISOString().slice(0, 16).replace("T", " ")} to ${period.to.toISOString().slice(11, 16)} UTC`
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${style}</style><body><h1>${escapeHtml(title)}</h1><div class="range">${range}</div>${tiles.join("")}</body></html>`
  return { html, width, height, withoutData }
}

async function readLines(
  prometheus: string,
  { expr, legend }: Query,
  period: Period,
  withoutData: string[],
): Promise<Line[]> {
  const query = expr.replaceAll("$rate", `${period.rateSeconds}s`)
  const series = await queryRange(prometheus, query, period)
  if (series.length === 0) withoutData.push(expr)
  return series
    .map(({ labels, values }) => ({
      name: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => labels[label] ?? ""),
      values,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

function content(
  { kind, unit, alertAbove }: Panel,
  lines: readonly Line[],
  { from, to, stepSeconds }: Period,
  size: { width: number; height: number },
): string {
  if (kind === "number") {
    const value = lines[0]?.values.at(-1)?.[1] ?? Number.NaN
    const state = alertAbove === undefined ? "plain" : value > alertAbove ? "bad" : "good"
    return `<div class="number ${state}">${formatValue(value, unit)}</div>`
  }
  if (lines.length === 0) return `<div class="empty">no data</div>`
  const legendRows = countRows(lines, size.width - 24)
  const chart = {
    ...{ from, to, stepSeconds, unit, alertAbove },
    width: Math.floor(size.width - 24),
    height: Math.floor(size.height - 72 - legendRows * 20),
  }
  return renderChart(lines, chart) + renderLegend(lines, unit)
}

/** How many rows the legend needs, with about 7 pixels for a letter. */
function countRows(lines: readonly Line[], width: number): number {
  let [rows, used] = [1, 0]
  for (const { name } of lines) {
    const needed = 7 * (name.length + 9) + 36
    if (used + needed > width) [rows, used] = [rows + 1, 0]
    used += needed
  }
  return rows
}

const style = `
* { box-sizing: border-box; margin: 0 }
body { background: #f3f4f6; color: #1f2933; font: 13px/1.35 "DejaVu Sans", Arial, sans-serif; position: relative }
h1 { font-size: 22px; padding: 22px 0 0 14px; font-weight: 600 }
.range { position: absolute; right: 16px; top: 28px; color: #52606d }
section { position: absolute; background: #fff; border: 1px solid #d9dee4; border-radius: 6px; padding: 10px 12px; overflow: hidden }
h2 { font-size: 14px; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
section p { color: #616e7c; font-size: 12px; margin: 2px 0 6px }
.number { font-size: 30px; font-weight: 600; position: absolute; left: 12px; bottom: 10px }
.number.good { color: #07734f }
.number.bad { color: #b3261e }
.empty { color: #9aa5b1; text-align: center; padding-top: 60px }
svg { display: block }
svg text { font-size: 11px; fill: #616e7c }
svg path { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.grid { stroke: #e4e7eb }
.alert { stroke: ${colours[8]}; stroke-dasharray: 6 4 }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; font-size: 12px; color: #3e4c59; padding-top: 4px }
.legend i { display: inline-block; width: 14px; height: 3px; margin: 0 6px 3px 0; vertical-align: middle }
.legend b { font-weight: 600; color: #1f2933 }
`
