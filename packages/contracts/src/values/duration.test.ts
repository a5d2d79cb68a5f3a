import { expect, test } from "vitest"
import { formatDuration, parseDuration } from "./duration.ts"

test.each(["500ms", "2s", "90s", "1m", "15m", "1h", "36h", "7d"])(
  "the duration %s is unchanged by parsing and formatting",
  (text) => {
    expect(parseDuration(formatDuration(parseDuration(text)))).toBe(parseDuration(text))
  },
)
