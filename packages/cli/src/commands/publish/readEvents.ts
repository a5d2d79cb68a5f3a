import { recordReader, sitePaidSchema } from "@sitewire/contracts"
import { usage } from "../../errors/failure.ts"

const readSitePaid = recordReader(sitePaidSchema)

/** An event ready to be sent: its value as it goes to Kafka, `id` and `channel` as far as they can be read. */
export type Event = { value: string | Uint8Array; id: string | null; channel: string | null }

/**
 * The events in a text: one JSON object, an array of them, or one object on each line (NDJSON). All of them are
 * checked as the dispatcher will, before any is sent; the Failure names each faulty one and what is wrong with it,
 * and quotes no value, because values hold personal data.
 */
export function readEvents(text: string): Event[] {
  const found = split(text)
  if (found.length === 0) throw usage("There is no event in what was read: it is empty.")
  const faults: string[] = []
  const events = found.map(({ value, where }) => {
    const bytes = Buffer.from(value)
    const read = readSitePaid(bytes)
    if (read.ok) return { value, id: read.value.id, channel: read.value.channel }
    faults.push(`  ${where}: ${read.reason}`)
    return { value, id: null, channel: null }
  })
  if (faults.length === 0) return events
  const shown = faults.slice(0, mostFaults)
  if (faults.length > shown.length) shown.push(`  … and ${faults.length - shown.length} more`)
  throw usage(
    `${faults.length} of ${found.length} event(s) are not valid site.paid, so nothing was published:\n` +
      `${shown.join("\n")}\nMend them, or send them as they are with --raw to see what bad input gets.`,
  )
}

const mostFaults = 20

/** One record of exactly these bytes. The key is the event's id where there is one to be read. */
export function readRaw(value: Uint8Array): Event {
  const json = parse(Buffer.from(value).toString())
  return { value, id: textField(json, "id"), channel: textField(json, "channel") }
}

function split(text: string): { value: string; where: string }[] {
  const whole = parse(text)
  if (Array.isArray(whole)) {
    return whole.map((entry, index) => ({ value: JSON.stringify(entry), where: `entry ${index + 1}` }))
  }
  if (whole !== undefined) return [{ value: JSON.stringify(whole), where: "the event" }]
  return text
    .split("\n")
    .map((line, index) => ({ value: line.trim(), where: `line ${index + 1}` }))
    .filter(({ value }) => value !== "")
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\u{feff}/u, ""))
  } catch {
    return undefined
  }
}

function textField(json: unknown, field: string): string | null {
  if (typeof json !== "object" || json === null) return null
  const value = new Map<string, unknown>(Object.entries(json)).get(field)
  return typeof value === "string" ? value : null
}
