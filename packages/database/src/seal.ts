import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { z } from "zod"

/** Values are sealed (encrypted) with the key `current` and opened with any of the keys. */
export type SealingKeys = { readonly current: string; readonly keys: ReadonlyMap<string, Buffer> }

const format = 2
const nonceBytes = 12
const tagBytes = 16

/** Reads `SEALING_KEYS`: `id:key` pairs separated by commas, the sealing key first. Errors contain no key. */
export function readSealingKeys(text: string): SealingKeys {
  const keys = new Map<string, Buffer>()
  let current: string | undefined
  for (const pair of text.split(",")) {
    const [id = "", encoded = ""] = pair.trim().split(":", 2)
    if (!/^[a-zA-Z0-9_-]{1,32}$/.test(id)) throw new Error("a key id must be 1 to 32 letters, digits, - or _")
    const key = Buffer.from(encoded, "base64")
    if (key.length !== 32)
      throw new Error(`the key "${id}" must be 32 bytes in base64 (openssl rand -base64 32)`)
    if (keys.has(id)) throw new Error(`the key id "${id}" occurs twice`)
    keys.set(id, key)
    current ??= id
  }
  if (current === undefined) throw new Error("at least one key is needed")
  return { current, keys }
}

/**
 * Encrypts with AES-256-GCM, to: format byte, length of the key id, key id, nonce, tag, ciphertext. `context`
 * names the purpose and the row (`sealContexts`), so that a value copied to another row does not open.
 */
export function seal({ current, keys }: SealingKeys, context: string, value: string): Buffer<ArrayBuffer> {
  const key = keys.get(current)
  if (!key) throw new Error(`no sealing key "${current}"`)
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", subkeyOf(key, context), nonce)
  cipher.setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()])
  const id = Buffer.from(current)
  return Buffer.concat([Buffer.of(format, id.length), id, nonce, cipher.getAuthTag(), sealed])
}

export function unseal({ keys }: SealingKeys, context: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  const id = sealingKeyId(bytes)
  const key = keys.get(id)
  if (!key) throw new Error(`a sealed value needs the key "${id}", which SEALING_KEYS does not contain`)
  const nonceAt = 2 + Buffer.byteLength(id)
  const tagAt = nonceAt + nonceBytes
  const nonce = bytes.subarray(nonceAt, tagAt)
  const tag = bytes.subarray(tagAt, tagAt + tagBytes)
  const decipher = createDecipheriv("aes-256-gcm", subkeyOf(key, context), nonce, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(bytes.subarray(tagAt + tagBytes)), decipher.final()]).toString(
      "utf8",
    )
  } catch (cause) {
    throw new Error(
      `a sealed value for ${context} does not open with the key "${id}" of SEALING_KEYS: it was sealed with another ` +
        "of this name, was changed, or belongs to another row",
      { cause },
    )
  }
}

const subkeys = new WeakMap<Buffer, Map<string, Buffer>>()

/**
 * The key of a purpose (RFC 5869). Random nonces of one key suffice for about 2^32 values: what anybody can have sealed, such
 * as the cookie of a sign-in that has begun, must not use up those of secrets.
 */
function subkeyOf(key: Buffer, context: string): Buffer {
  const [purpose = ""] = context.split(":", 1)
  const known = subkeys.get(key) ?? new Map<string, Buffer>()
  subkeys.set(key, known)
  const subkey = known.get(purpose) ?? Buffer.from(hkdfSync("sha256", key, "", `sitewire ${purpose}`, 32))
  known.set(purpose, subkey)
  return subkey
}

export function sealingKeyId(sealed: Uint8Array): string {
  const [version, length = 0] = sealed
  if (version !== format || sealed.length < 2 + length + nonceBytes + tagBytes)
    throw new Error("not a sealed value")
  return Buffer.from(sealed.subarray(2, 2 + length)).toString("utf8")
}

/** What a sealed value is for, and its row. Each purpose, the text before the first colon, has a key of its own. */
export const sealContexts = {
  signingSecret: (channel: string, secretId: string) => `channel-secret:${channel}:${secretId}`,
  receiverHeaders: (channel: string) => `channel-headers:${channel}`,
  connectionToken: (connection: string) => `connection-token:${connection}`,
  connectionSecret: (connection: string) => `connection-secret:${connection}`,
  sourceHeaders: (connection: string) => `connection-headers:${connection}`,
  digestKey: (id: string) => `digest-key:${id}`,
  openIdSignIn: "open-id-sign-in",
}

export const sealingVariables = {
  SEALING_KEYS: z
    .string()
    .transform((text, context) => {
      try {
        return readSealingKeys(text)
      } catch (error) {
        context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) })
        return z.NEVER
      }
    })
    .meta({
      description:
        "Keys for sealed values: id:base64 pairs separated by commas, each of 32 bytes, the sealing one first.",
      secret: true,
    }),
}

const valuesSchema = z.record(z.string(), z.string())

/** Seals the headers of requests as one value. Null: there are none. */
export function sealRequestHeaders(
  keys: SealingKeys,
  context: string,
  headers: readonly { name: string; value: string }[],
): Buffer<ArrayBuffer> | null {
  if (headers.length === 0) return null
  return seal(
    keys,
    context,
    JSON.stringify(Object.fromEntries(headers.map(({ name, value }) => [name, value]))),
  )
}

/** Names in lower case. Send our own headers after these, because none of these may replace them. */
export function openRequestHeaders(
  keys: SealingKeys,
  context: string,
  sealed: Uint8Array | null,
): Record<string, string> {
  return sealed === null ? {} : valuesSchema.parse(JSON.parse(unseal(keys, context, sealed)))
}
