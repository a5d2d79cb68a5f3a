import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import { digestsOf, type PlainSubject, type Subject } from "@sitewire/contracts"
import type { Sql } from "./pool.ts"
import { type SealingKeys, seal, sealContexts, unseal } from "./seal.ts"

const id = "email"
const keyBytes = 32
const digestBytes = 12

/**
 * The key of the digests of e-mail addresses. The first process that needs it makes it. Rejects if SEALING_KEYS lacks its key. With a
 * key object, Node needs 2 µs for a digest, and 15 µs with the bytes.
 */
export async function readDigestKey(sql: Sql, sealingKeys: SealingKeys): Promise<KeyObject> {
  const read = () => sql<{ key_sealed: Buffer }>("select key_sealed from digest_key where id = $1", [id])
  let [row] = await read()
  if (row === undefined) {
    const made = seal(sealingKeys, sealContexts.digestKey(id), randomBytes(keyBytes).toString("base64"))
    await sql("insert into digest_key (id, key_sealed) values ($1, $2) on conflict do nothing", [id, made])
    ;[row] = await read()
  }
  if (row === undefined) throw new Error("the key of the digests of e-mail addresses is missing in Postgres")
  return createSecretKey(unseal(sealingKeys, sealContexts.digestKey(id), row.key_sealed), "base64")
}

/** What is stored of a text that could be guessed from its SHA-256. Of an e-mail address, `text` is the SHA-256 in hexadecimal. */
export function keyedDigest(key: KeyObject, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest().subarray(0, digestBytes)
}

/** The subject of an erasure as its job stores it. */
export function storedSubject(key: KeyObject, subject: PlainSubject): Subject {
  if (!("email_sha256" in subject)) return subject
  return { email_digest: keyedDigest(key, subject.email_sha256).toString("hex") }
}

/** The digests of the subjects that the content may name, as jobs store them. Null if it is not JSON. */
export function subjectDigests(key: KeyObject, content: Buffer): string[] | null {
  const digests = digestsOf(content)
  return digests && [...digests, ...digests.map((digest) => keyedDigest(key, digest).toString("hex"))]
}
