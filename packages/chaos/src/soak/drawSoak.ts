import { escapeHtml, type Line, renderChart, type Unit } from "@sitewire/monitoring"
import type { Fault } from "../faults/driveFaults.ts"
import { coresUsed } from "./coresUsed.ts"
import type { Sample } from "./sample.ts"

const [width, height, top] = [1_000, 220, 70]

/** An SVG image: memory, CPU time, descriptors, sizes and lateness over time. Vertical lines are faults. */
export function drawSoak(samples: readonly Sample[], faults: readonly Fault[], stepSeconds: number): string {
  const from = samples[0]?.at ?? 0
  const to = Math.max(from + 1, samples.at(-1)?.at ?? 0)
  const linesOf = <Item extends { at: number }>(
    items: readonly Item[],
    of: (item: Item) => Record<string, number | null>,
  ): Line[] => {
    const names = [...new Set(items.flatMap((item) => Object.keys(of(item))))].sort()
    return names.map((name) => ({
      name,
      values: items.flatMap((item): [number, number][] => {
        const value = of(item)[name] ?? null
        return value === null ? [] : [[item.at, value]]
      }),
    }))
  }
  const seconds = (ms: number | null) => (ms === null ? null : ms / 1_000)
  const panels: [string, Unit, Line[]][] = [
    ["Resident memory of each process", "bytes", linesOf(samples, ({ memoryBytes }) => memoryBytes)],
    ["CPU time of each process, in cores", "count", linesOf(coresUsed(samples), ({ cores }) => cores)],
    ["Open file descriptors", "count", linesOf(samples, ({ descriptors }) => descriptors)],
    ["Sizes of tables, without their indexes", "bytes", linesOf(samples, ({ tableBytes }) => tableBytes)],
    ["Sizes of all indexes of a table", "bytes", linesOf(samples, ({ indexBytes }) => indexBytes)],
    [
      "From publishing to the partner",
      "seconds",
      linesOf(samples, ({ latency }) => ({ p50: seconds(latency.p50), p99: seconds(latency.p99) })),
    ],
    [
      "Waiting time of the oldest due sync and attempt",
      "seconds",
      linesOf(samples, ({ oldestSync, oldestAttempt }) => ({ sync: oldestSync, attempt: oldestAttempt })),
    ],
  ]
  // The margins of renderChart.
  const x = (at: number) => 62 + ((at / 1_000 - from) / (to - from)) * (width - 62 - 12)
  const marks = faults
    .filter(({ beganAt }) => beganAt / 1_000 >= from && beganAt / 1_000 <= to)
    .map(({ beganAt, kind, target }) => {
      const at = x(beganAt).toFixed(1)
      return `<line class="fault" x1="${at}" x2="${at}" y1="8" y2="${height - 22}"><title>${escapeHtml(`${kind}: ${target}`)}</title></line>`
    })
    .join("")
  const charts = panels.map(([title, unit, lines], at) => {
    const chart = renderChart(lines, {
      ...{ from: new Date(from * 1_000), to: new Date(to * 1_000), width, height, unit, stepSeconds },
      alertAbove: undefined,
    })
    return `<g transform="translate(0 ${20 + at * (height + top)})"><text class="title" x="10" y="14">${escapeHtml(title)}</text>${legend(lines, chart)}<g transform="translate(0 ${top - 25})">${chart}${marks}</g></g>`
  })
  const total = 20 + panels.length * (height + top)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}"><style>${style}</style><rect width="${width}" height="${total}" fill="white"/>${charts.join("")}</svg>\n`
}

/** Names in the colours of the chart's paths, which are drawn in reverse order. */
function legend(lines: readonly Line[], chart: string): string {
  const colours = [...chart.matchAll(/<path [^>]*stroke="(#\w+)"/g)].map(([, colour]) => colour).toReversed()
  let x = 10
  const names = lines.map(({ name }, at) => {
    const text = `<text x="${x}" y="34" style="fill:${colours[at]}">${escapeHtml(name)}</text>`
    x += 8 + 7 * name.length
    return text
  })
  return names.join("")
}

const style = [
  "text{font:11px sans-serif;fill:#444}.title{font-weight:bold;font-size:13px}",
  ".grid{stroke:#e4e4e4}.fault{stroke:#c00;stroke-opacity:.25}path{fill:none;stroke-width:1.4}",
].join("")
