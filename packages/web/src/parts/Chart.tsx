import { useComputedColorScheme } from "@mantine/core"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { formatDay, formatMinute, formatTime } from "../format.ts"
import classes from "./Chart.module.css"

export type Series = {
  label: string
  /** The value at each time. Null: nothing is known. */
  values: (number | null)[]
  color: "--chart-1" | "--chart-2" | "--chart-3" | "--chart-4"
  filled?: boolean
  /** Shown if no point is selected. */
  summary: string
}

type ChartProps = {
  label: string
  /** In seconds, at equal distances. */
  times: number[]
  /** The newest values will change. */
  incomplete: boolean
  series: Series[]
  format: (value: number) => string
  /** The greatest value of the axis. Default: follows the data. */
  max?: number
  /** The axis is logarithmic, for values of different magnitudes. */
  logarithmic?: boolean
  /** Opens what happened in a point. `hint` says so. */
  open?: { hint: string; at: (time: number) => void }
}

const height = 168

/** A chart of values over time. The arrow keys select a point, and Enter opens it. */
export function Chart({
  label,
  times,
  incomplete,
  series,
  format,
  max,
  logarithmic = false,
  open,
}: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const [selected, setSelected] = useState<number | null>(null)
  const scheme = useComputedColorScheme()
  const latest = useRef({ open, times, format, max, incomplete })
  latest.current = { open, times, format, max, incomplete }
  const data: uPlot.AlignedData = [times, ...series.map(({ values }) => values)]
  const shape = series.map(({ label: name, color, filled }) => `${name} ${color} ${filled}`).join()

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chart is needed only for other series or colours
  useEffect(() => {
    const element = host.current
    if (!element) return
    const style = getComputedStyle(document.documentElement)
    const colorOf = (name: string) => style.getPropertyValue(name).trim()
    const axis = {
      stroke: colorOf("--idle"),
      font: "11px system-ui, sans-serif",
      grid: { stroke: colorOf("--chart-grid"), width: 1 },
      ticks: { show: false },
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        padding: [8, 18, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, sync: { key: "charts" }, points: { size: 7 } },
        scales: {
          y: logarithmic
            ? { distr: 3, range: (_, low, high) => [(low ?? 1) * 0.8, (high ?? 10) * 1.25] }
            : { range: (_, __, top) => [0, latest.current.max ?? Math.max(1, (top ?? 0) * 1.08)] },
        },
        axes: [
          { ...axis, size: 26, space: 70, values: (_, at) => at.map((time, i) => tickOf(time, at[i - 1])) },
          {
            ...axis,
            size: 56,
            space: 40,
            ...(logarithmic ? { splits: logarithmicSplits } : {}),
            values: (_, values) =>
              values.map((value) => (value === null ? "" : latest.current.format(value))),
          },
        ],
        series: [
          {},
          ...series.map(({ label: name, color, filled }) => ({
            label: name,
            stroke: colorOf(color),
            width: 1.5,
            ...(filled ? { fill: `${colorOf(color)}22` } : {}),
            points: {
              show: false,
              size: 6,
              fill: colorOf("--surface"),
              filter: (u: uPlot, index: number) => dotsOf(u.data[index] ?? [], latest.current.incomplete),
            },
          })),
        ],
        hooks: { setCursor: [(u) => setSelected(u.cursor.idx ?? null)] },
      },
      data,
      element,
    )
    chart.current = plot
    plot.over.addEventListener("click", () => {
      const time = latest.current.times[plot.cursor.idx ?? -1]
      if (time !== undefined) latest.current.open?.at(time)
    })
    const resizing = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    resizing.observe(element)
    return () => {
      resizing.disconnect()
      plot.destroy()
    }
  }, [shape, scheme])

  // biome-ignore lint/correctness/useExhaustiveDependencies: `data` consists of these
  useEffect(() => chart.current?.setData(data), [times, series])

  function select(index: number): void {
    const plot = chart.current
    const time = times[index]
    if (plot && time !== undefined) plot.setCursor({ left: plot.valToPos(time, "x"), top: 0 })
  }

  function onKeyDown(event: KeyboardEvent): void {
    const last = times.length - 1
    const now = selected ?? last + 1
    const steps: Record<string, number> = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      PageUp: now - 10,
      PageDown: now + 10,
      Home: 0,
      End: last,
    }
    const next = steps[event.key]
    if (next !== undefined) {
      event.preventDefault()
      select(Math.min(last, Math.max(0, next)))
    }
    const time = selected === null ? undefined : times[selected]
    if (event.key === "Enter" && time !== undefined) open?.at(time)
  }

  const time = selected === null ? undefined : times[selected]
  const values = series.map(({ label: name, values: all, summary }) => {
    const value = selected === null ? undefined : all[selected]
    return [name, value === undefined ? summary : value === null ? "–" : format(value)] as const
  })
  const soFar = incomplete && selected === times.length - 1 ? ` so far` : ""
  const shownTime = time === undefined ? "" : `${formatTime(new Date(time * 1000), "near")}${soFar}`
  const spoken = `${shownTime} ${values.map((pair) => pair.join(": ")).join(", ")}`
  return (
    <figure className={classes.chart}>
      <figcaption>
        <strong>{label}</strong>
        <span className={classes.time}>{shownTime}</span>
        <span className={classes.legend}>
          {values.map(([name, value], index) => (
            <span key={name} data-color={series[index]?.color.slice(-1)}>
              {name} <b>{value}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={host}
        className={open ? classes.clickable : undefined}
        role="slider"
        tabIndex={0}
        aria-label={open ? `${label}. ${open.hint}` : label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={selected ?? Math.max(0, times.length - 1)}
        aria-valuetext={spoken}
        onKeyDown={onKeyDown}
      />
    </figure>
  )
}

/** The values that are drawn as dots: those without a neighbour, to which no line leads, and the newest, if it will change. */
function dotsOf(values: ArrayLike<number | null | undefined>, incomplete: boolean): number[] {
  const isKnown = (index: number) => typeof values[index] === "number"
  const last = values.length - 1
  return Array.from(values, (_, index) => index).filter(
    (index) =>
      isKnown(index) && ((!isKnown(index - 1) && !isKnown(index + 1)) || (incomplete && index === last)),
  )
}

function logarithmicSplits(_: uPlot, __: number, low: number, high: number): number[] {
  const steps = high / low > 100 ? [1] : [1, 3]
  const powers = [0, 1, 2, 3, 4, 5].flatMap((exponent) => steps.map((step) => step * 10 ** exponent))
  return powers.filter((split) => split >= low && split <= high)
}

/** The time of day, and the date where a new day begins. */
function tickOf(time: number, before: number | undefined): string {
  const date = new Date(time * 1000)
  const newDay = before !== undefined && new Date(before * 1000).getDate() !== date.getDate()
  if (newDay || (before === undefined && date.getHours() === 0 && date.getMinutes() === 0))
    return formatDay(date)
  return formatMinute(date)
}
