import { parseJson, recordReader, sitePaidSchema } from "@sitewire/contracts"
import { incorrectUsage } from "../../errors/failure.ts"

const readSitePaid = recordReader(sitePaidSchema)
const maxListedFaults = 20

/** An event to publish. `id` and `channel` are null if they cannot be read from the value. */
export type Event = { value: string | Uint8Array; id: string | null; channel: string | null }

/**
 * Reads one JSON object, an array of objects, or one object per line (NDJSON). Checks all events as the
 * dispatcher does. If events are invalid, the Failure names them but quotes no values, because values are
 * personal data.
 */
export function readEvents(text: string): Event[] {
  const found = split(text)
  if (found.length === 0) throw incorrectUsage("The input contains no event: it is empty.")
  const faults: string[] = []
  const events = found.map(({ value, position }) => {
    const bytes = Buffer.from(value)
    const read = readSitePaid(bytes)
    if (read.ok) return { value, id: read.value.id, channel: read.value.channel }
    faults.push(`  ${position}: ${read.reason}`)
    return { value, id: null, channel: null }
  })
  if (faults.length === 0) return events
  const listed = faults.slice(0, maxListedFaults)
  if (faults.length > listed.length) listed.push(`  … and ${faults.length - listed.length} more`)
  throw incorrectUsage(
    `${faults.length} of ${found.length} event(s) are not valid site.paid, so nothing was published:\n` +
      `${listed.join("\n")}\nCorrect them. To publish invalid input on purpose, add --raw.`,
  )
}

/** One record with exactly these bytes. Its key is the event's id, if the bytes contain one. */
export function readRaw(value: Uint8Array): Event {
  const json = parse(Buffer.from(value).toString())
  return { value, id: textField(json, "id"), channel: textField(json, "channel") }
}

function split(text: string): { value: string; position: string }[] {
  const whole = parse(text)
  if (Array.isArray(whole)) {
    return whole.map((entry, index) => ({ value: JSON.stringify(entry), position: `entry ${index + 1}` }))
  }
  if (whole !== undefined) return [{ value: JSON.stringify(whole), position: "the event" }]
  return text
    .split("\n")
    .map((line, index) => ({ value: line.trim(), position: `line ${index + 1}` }))
    .filter(({ value }) => value !== "")
}

function parse(text: string): unknown {
  return parseJson(text.replace(/^\u{feff}/u, ""))
}

function textField(json: unknown, field: string): string | null {
  if (typeof json !== "object" || json === null) return null
  const value = new Map<string, unknown>(Object.entries(json)).get(field)
  return typeof value === "string" ? value : null
}
