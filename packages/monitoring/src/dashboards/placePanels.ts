import type { Panel } from "./dashboard.ts"

const heights = { number: 4, lines: 8 }

/** Fills rows of 24 columns from left to right. */
export function placePanels(
  panels: readonly Panel[],
): { panel: Panel; x: number; y: number; w: number; h: number }[] {
  let [x, y, rowHeight] = [0, 0, 0]
  return panels.map((panel) => {
    const h = heights[panel.kind]
    if (x + panel.width > 24) [x, y, rowHeight] = [0, y + rowHeight, 0]
    const placed = { panel, x, y, w: panel.width, h }
    x += panel.width
    rowHeight = Math.max(rowHeight, h)
    return placed
  })
}
