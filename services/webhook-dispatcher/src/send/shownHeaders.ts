import type { Excerpt } from "@sitewire/egress"

type Headers = Readonly<Record<string, string>>

/** The names of a channel's request headers, for those who may read the attempt. Nobody may read the values. */
export function hideValues(partners: Headers): Record<string, string> {
  return Object.fromEntries(Object.keys(partners).map((name) => [name, "…"]))
}

/**
 * What must not be in a stored response, which can quote the request: each value, as it is and as a JSON string, and the tokens of it.
 * The longest first: of a value that contains another one, the rest would remain.
 */
export function secretParts(partners: Headers): string[] {
  const values = Object.values(partners)
  const inJson = values.map((value) => JSON.stringify(value).slice(1, -1))
  const tokens = values.flatMap((value) => value.split(/[\s"'=,;\\]+/)).filter(({ length }) => length >= 8)
  return [...new Set([...values, ...inJson, ...tokens])].sort((one, other) => other.length - one.length)
}

/** Without the values, and not longer for it. Bytes that are no text stay as they are. */
export function redactExcerpt(excerpt: Excerpt, partners: Headers): Excerpt {
  const secrets = secretParts(partners)
  if (secrets.length === 0) return excerpt
  // All in one pass: what replaces one may not be replaced again.
  const quoted = new RegExp(secrets.map((secret) => secret.replace(/\W/g, "\\$&")).join("|"), "g")
  const redact = (bytes: Buffer) =>
    Buffer.from(bytes.toString("latin1").replace(quoted, "***"), "latin1").subarray(0, bytes.length)
  return {
    received: () => redact(excerpt.received()),
    complete: () => excerpt.complete(),
    within: async (waitMs) => redact(await excerpt.within(waitMs)),
  }
}

/**
 * A request's headers, one a line, for those who may read the delivery. Signatures are shortened, because whoever
 * has a body and its signature can send both again.
 */
export function shownHeaders(headers: Headers): string {
  let lines = ""
  for (const name in headers) {
    const value = headers[name] ?? ""
    lines += `${name}: ${shownValue(name, value)}\n`
  }
  return lines
}

/** As `shownHeaders`, by name. */
export function shownHeaderRecord(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, shownValue(name, value)]))
}

function shownValue(name: string, value: string): string {
  return /signature$/i.test(name) ? shorten(value) : value
}

/** Leaves the first 8 characters, to compare with: of `sha256=…`, or of each `v1,…` (Standard Webhooks). */
function shorten(signatures: string): string {
  return signatures.replace(/([=,])(\S{8})\S*/g, (_, separator, start) => `${separator}${start}…`)
}
