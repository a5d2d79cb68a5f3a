/** Container runtimes split lines with more than 16 KiB, and the parts are not JSON. */
const maxBytes = 16_000

/**
 * Returns a line (a JSON object and a line feed) unchanged if it has at most `maxBytes`. Otherwise cuts its longest texts
 * and lists, and appends to each how much of it is missing.
 */
export function shortenLine(line: string): string {
  // UTF-8 needs at most three bytes for a UTF-16 code unit, so the bytes of most lines need not be counted.
  if (line.length * 3 <= maxBytes || Buffer.byteLength(line) <= maxBytes) return line
  const { level, time, service, msg, ...fields } = JSON.parse(line)
  for (let longest = 4_096; ; longest /= 2) {
    const message = typeof msg === "string" ? cutText(msg, 200) : undefined
    const shorter = { level, time, service, ...cutFields(fields, longest), msg: message }
    const text = `${JSON.stringify(shorter)}\n`
    if (longest < 1 || Buffer.byteLength(text) <= maxBytes) return text
  }
}

/** A text keeps at most `longest` characters, and a list or an object an eighth as many items or fields. */
function cut(value: unknown, longest: number): unknown {
  if (typeof value === "string") return cutText(value, longest)
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value) ? cutList(value, longest) : cutFields(value, longest)
}

function cutList(list: readonly unknown[], longest: number): unknown[] {
  const kept = list.slice(0, longest / 8).map((item) => cut(item, longest))
  const missing = list.length - kept.length
  return missing === 0 ? kept : [...kept, describeCut(missing, "items")]
}

function cutFields(fields: object, longest: number): object {
  const all = Object.entries(fields)
  const kept = all.slice(0, longest / 8).map(([name, value]) => [cutText(name, longest), cut(value, longest)])
  const missing = all.length - kept.length
  return Object.fromEntries(missing === 0 ? kept : [...kept, ["cut", describeCut(missing, "fields")]])
}

function cutText(text: string, longest: number): string {
  if (text.length <= longest) return text
  // The cut must not divide a character that consists of two code units.
  const kept = text.slice(0, longest).replace(/[\ud800-\udbff]$/, "")
  return kept + describeCut(text.length - kept.length, "characters")
}

function describeCut(missing: number, what: string): string {
  return `… (${missing} ${what} were cut)`
}
