import { escapeControls } from "./escapeControls.ts"
import type { Style } from "./style.ts"

export type Entry = readonly [key: string, value: string | null]

/** `key: value` lines with aligned values. Entries with the value null are omitted. */
export function block(style: Style, entries: readonly Entry[]): string {
  const shown = entries.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
  const width = Math.max(...shown.map(({ key }) => key.length)) + 1
  return shown
    .map(({ key, value }) => `${style.paint("dim", `${key}:`.padEnd(width))} ${escapeControls(value)}`)
    .join("\n")
}
