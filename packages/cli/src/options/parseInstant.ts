import { durationSchema } from "@sitewire/contracts"
import { parseTime } from "./parseTime.ts"

/** Parses `now`, a duration before now such as `2h`, or a time as in `parseTime`. */
export function parseInstant(text: string): string {
  if (text === "now") return new Date().toISOString()
  const ago = durationSchema.safeParse(text)
  return ago.success ? new Date(Date.now() - ago.data).toISOString() : parseTime(text)
}
