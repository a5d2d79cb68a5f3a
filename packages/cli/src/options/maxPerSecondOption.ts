import { Option } from "commander"
import { parseCount } from "./parseCount.ts"

/** `null` removes the maximum. */
function parseRate(text: string): number | null {
  return text === "none" ? null : parseCount(text)
}

export const maxPerSecondOption = new Option(
  "--max-per-second <n>",
  'the most attempts per second, of all dispatchers together; "none": no maximum',
).argParser(parseRate)
