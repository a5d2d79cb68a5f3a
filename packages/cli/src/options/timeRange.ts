import { Option } from "commander"
import { parseTime } from "./parseTime.ts"

export type TimeRange = { after?: string; before?: string }

/** `what` completes "only …", such as "deliveries created". */
export function timeRangeOptions(what: string): Option[] {
  return [
    new Option("--after <time>", `only ${what} at this time or later`).argParser(parseTime),
    new Option("--before <time>", `only ${what} before this time`).argParser(parseTime),
  ]
}
