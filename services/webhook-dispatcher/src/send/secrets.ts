import { newSecret } from "@sitewire/contracts"
import {
  openRequestHeaders,
  type SealingKeys,
  type Sql,
  seal,
  sealContexts,
  unseal,
} from "@sitewire/database"
import type { Channel } from "@sitewire/deliveries"
import type { Excerpt } from "@sitewire/egress"
import { type Logger, reasonOf } from "@sitewire/runtime"

const maxCached = 10_000

type WithSecret = Pick<Channel, "channel_id" | "secret_id" | "secret_sealed">

export type ChannelOpener = ReturnType<typeof createChannelOpener>

/**
 * Caches decrypted (unsealed) secrets by id. A rotation creates a new id, so a cached secret is never outdated. If a value cannot be
 * unsealed, calls `onUnopened` and throws.
 */
export function createChannelOpener(keys: SealingKeys, onUnopened: (why: string) => void) {
  function open<T>(unsealed: () => T): T {
    try {
      return unsealed()
    } catch (error) {
      onUnopened(reasonOf(error))
      throw error
    }
  }

  const opened = new Map<string, string>()
  return {
    openSecret({ channel_id, secret_id: id, secret_sealed }: WithSecret): string {
      const known = opened.get(id)
      if (known !== undefined) return known
      const secret = open(() => unseal(keys, sealContexts.signingSecret(channel_id, id), secret_sealed))
      if (opened.size >= maxCached) opened.clear()
      opened.set(id, secret)
      return secret
    },
    /** A secret that nobody knows, for a test of what is not created yet. */
    sealNew: ({ channel_id, secret_id }: Pick<Channel, "channel_id" | "secret_id">) =>
      seal(keys, sealContexts.signingSecret(channel_id, secret_id), newSecret("sws")),
    openHeaders: ({ channel_id, request_headers_sealed: sealed }: Channel): Record<string, string> =>
      open(() => openRequestHeaders(keys, sealContexts.receiverHeaders(channel_id), sealed)),
  }
}

/** The channel as if its other secret, the staged or the retiring one, were its only one. Null: there is none. */
export function otherAsActive(channel: Channel): Channel | null {
  const { other_secret_id: secret_id, other_secret_sealed: secret_sealed } = channel
  if (secret_id === null || secret_sealed === null) return null
  return { ...channel, secret_id, secret_sealed, other_secret_id: null, other_secret_sealed: null }
}

/** Decrypts the newest channel's secret, so that a process with the wrong sealing keys never becomes ready. */
export async function checkNewestSecret(parts: {
  sql: Sql
  openSecret: ChannelOpener["openSecret"]
  log: Logger
}): Promise<void> {
  try {
    const [newest] = await parts.sql<WithSecret>(
      "select id as channel_id, secret_id, secret_sealed from channel order by updated_at desc limit 1",
    )
    if (newest) parts.openSecret(newest)
  } catch (error) {
    parts.log.error({ error }, "cannot open the newest channel's secret; its deliveries will be deferred")
  }
}

type Headers = Readonly<Record<string, string>>

export function hideValues(partners: Headers): Record<string, string> {
  return Object.fromEntries(Object.keys(partners).map((name) => [name, "…"]))
}

/**
 * What must not be in a stored response, which can quote the request: each value, as it is and as a JSON string, and the tokens of it.
 * The longest first: of a value that contains another one, the rest would remain.
 */
function secretParts(partners: Headers): string[] {
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

/** A request's headers, one a line. Signatures are shortened, because whoever has one and its body can send both again. */
export function shownHeaders(headers: Headers): string {
  let lines = ""
  for (const name in headers) {
    const value = headers[name] ?? ""
    lines += `${name}: ${/signature$/i.test(name) ? shorten(value) : value}\n`
  }
  return lines
}

/** Leaves the first 8 characters, to compare with: of `sha256=…`, or of each `v1,…` (Standard Webhooks). */
function shorten(signatures: string): string {
  return signatures.replace(/([=,])(\S{8})\S*/g, (_, separator, start) => `${separator}${start}…`)
}
