import { createHmac, randomBytes } from "node:crypto"
import type { Sql } from "./pool.ts"
import { type SealingKeys, seal, unseal } from "./seal.ts"
import { sealContexts } from "./sealContexts.ts"

const id = "email"
const keyBytes = 32
const digestBytes = 12

/** The key of the digests of e-mail addresses. The first process that needs it makes it. Rejects if SEALING_KEYS lacks its key. */
export async function readDigestKey(sql: Sql, sealingKeys: SealingKeys): Promise<Buffer> {
  const read = () => sql<{ key_sealed: Buffer }>("select key_sealed from digest_key where id = $1", [id])
  let [row] = await read()
  if (row === undefined) {
    const made = seal(sealingKeys, sealContexts.digestKey(id), randomBytes(keyBytes).toString("base64"))
    await sql("insert into digest_key (id, key_sealed) values ($1, $2) on conflict do nothing", [id, made])
    ;[row] = await read()
  }
  if (row === undefined) throw new Error("the key of the digests of e-mail addresses is missing in Postgres")
  return Buffer.from(unseal(sealingKeys, sealContexts.digestKey(id), row.key_sealed), "base64")
}

/** What a delivery stores of its e-mail address, of which `emailSha256` is the digest that erasures have. */
export function keyedDigest(key: Buffer, emailSha256: string): Buffer {
  return createHmac("sha256", key).update(emailSha256).digest().subarray(0, digestBytes)
}
