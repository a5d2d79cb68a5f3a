/**
 * A request's headers, one a line, for those who may read the delivery. Signatures are shortened, because whoever
 * has a body and its signature can send both again.
 */
export function shownHeaders(headers: Readonly<Record<string, string>>): string {
  let lines = ""
  for (const name in headers) {
    const value = headers[name] ?? ""
    lines += `${name}: ${shownValue(name, value)}\n`
  }
  return lines
}

/** As `shownHeaders`, by name. */
export function shownHeaderRecord(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shownValue(name, value)]))
}

function shownValue(name: string, value: string): string {
  return /signature$/i.test(name) ? shorten(value) : value
}

/** Leaves the first 8 characters, to compare with: of `sha256=…`, or of each `v1,…` (Standard Webhooks). */
function shorten(signatures: string): string {
  return signatures.replace(/([=,])(\S{8})\S*/g, (_, separator, start) => `${separator}${start}…`)
}
