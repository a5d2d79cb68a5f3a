import { structuredPatch } from "diff"

export type Line = { kind: "added" | "removed" | "same"; text: string }
export type Hunk = { start: number; lines: Line[] }
export type Comparison =
  | { kind: "lines"; hunks: Hunk[]; added: number; removed: number; complete: boolean; formatted: boolean }
  | { kind: "only format" | "too different" | "no text" }

const limits = { maxEditLength: 20_000, lines: 400, lineLength: 500 }

/** Line by line. JSON is formatted first. It gives up after `timeoutMs`, because the page does not respond meanwhile. */
export function compare(before: string, after: string, { timeoutMs = 400 } = {}): Comparison {
  if (before.includes("\0") || after.includes("\0")) return { kind: "no text" }
  const [oldJson, newJson] = [formatJson(before), formatJson(after)]
  const formatted = oldJson !== null && newJson !== null
  if (formatted && oldJson === newJson) return { kind: "only format" }
  const { maxEditLength } = limits
  const texts = [formatted ? oldJson : before, formatted ? newJson : after] as const
  const options = { context: 3, timeout: timeoutMs, maxEditLength }
  const patch = structuredPatch("", "", ...texts, undefined, undefined, options)
  if (patch === undefined) return { kind: "too different" }
  const all = patch.hunks.map(({ newStart, lines }): Hunk => ({ start: newStart, lines: linesOf(lines) }))
  const count = (kind: Line["kind"]) =>
    all.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0)
  let room = limits.lines
  const hunks = all.flatMap(({ start, lines }) => {
    const visible = lines.slice(0, Math.max(0, room))
    room -= lines.length
    return visible.length === 0 ? [] : [{ start, lines: visible }]
  })
  return {
    kind: "lines",
    hunks,
    added: count("added"),
    removed: count("removed"),
    complete: room >= 0,
    formatted,
  }
}

function formatJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

const kinds: Record<string, Line["kind"]> = { "+": "added", "-": "removed", " ": "same" }

/** The library also has lines about a missing newline at the end. */
function linesOf(lines: readonly string[]): Line[] {
  return lines.flatMap((line) => {
    const kind = kinds[line.charAt(0)]
    if (kind === undefined) return []
    const text = line.slice(1)
    return [{ kind, text: text.length > limits.lineLength ? `${text.slice(0, limits.lineLength)}…` : text }]
  })
}
