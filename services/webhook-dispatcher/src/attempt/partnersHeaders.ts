import type { Excerpt } from "@sitewire/egress"

type Headers = Readonly<Record<string, string>>

/** The names of a channel's request headers, for those who may read the attempt. Nobody may read the values. */
export function hideValues(partners: Headers): Record<string, string> {
  return Object.fromEntries(Object.keys(partners).map((name) => [name, "…"]))
}

/**
 * What must not be in a stored response, which can quote the request: each value, and a token behind a scheme. The longest
 * first: of a value that contains another one, the rest would remain.
 */
export function secretParts(partners: Headers): string[] {
  const values = Object.values(partners)
  const tokens = values.flatMap((value) => value.split(" ")).filter(({ length }) => length >= 8)
  return [...values, ...tokens].sort((one, other) => other.length - one.length)
}

/** Without the values. Bytes that are no text stay as they are. */
export function redactExcerpt(excerpt: Excerpt, partners: Headers): Excerpt {
  const secrets = secretParts(partners)
  if (secrets.length === 0) return excerpt
  const redact = (bytes: Buffer) =>
    Buffer.from(
      secrets.reduce((text, secret) => text.replaceAll(secret, "***"), bytes.toString("latin1")),
      "latin1",
    )
  return {
    received: () => redact(excerpt.received()),
    complete: () => excerpt.complete(),
    within: async (waitMs) => redact(await excerpt.within(waitMs)),
  }
}
