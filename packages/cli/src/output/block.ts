import { plain } from "./escapeControls.ts"
import type { Style } from "./style.ts"

/** `key: value` lines with the values aligned. What is null is left out. */
export function block(
  style: Style,
  entries: readonly (readonly [key: string, value: string | null])[],
): string {
  const shown = entries.flatMap(([key, value]) => (value === null ? [] : [{ key, value }]))
  const width = Math.max(...shown.map(({ key }) => key.length)) + 1
  return shown
    .map(({ key, value }) => `${style.paint("dim", `${key}:`.padEnd(width))} ${plain(value)}`)
    .join("\n")
}
