import { isSecret, newSecret, sha256 } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { keyIsValid, type StoredKey } from "../auth/apiKey.ts"
import { newId } from "../newIds.ts"
import type { SigningIn } from "./sessions.ts"

const lifetime = "10 minutes"

/** Creates a link that signs in once, as the key. Only the hash of its token is stored. */
export async function createSignInLink(
  sql: Sql,
  keyId: string,
): Promise<{ id: string; token: string; expires_at: Date }> {
  const id = newId("lnk")
  const token = newSecret("swl")
  const [row] = await sql<{ expires_at: Date }>(
    ...named(
      `insert into sign_in_link (id, token_sha256, key_id, expires_at)
       values ($id, $token, $key, now() + interval '${lifetime}') returning expires_at`,
      { id, token: sha256(token), key: keyId },
    ),
  )
  if (!row) throw new Error("the sign-in link was not inserted")
  return { id, token, expires_at: row.expires_at }
}

/** The key as which a valid link signs in. */
export async function findSignInLink(sql: Sql, token: string): Promise<StoredKey | null> {
  if (!isSecret("swl", token)) return null
  const [row] = await sql<StoredKey>(
    `select k.id, k.name, k.scopes from sign_in_link l join api_key k on k.id = l.key_id
      where l.token_sha256 = $1 and l.expires_at > now()
        and ${keyIsValid("k")}`,
    [sha256(token)],
  )
  return row ?? null
}

// Of several requests with the same token, only one deletes the row.
const use = `
with used as (delete from sign_in_link where token_sha256 = $1 returning id, key_id, expires_at)
select used.id as link_id, k.id, k.name, k.scopes
  from used join api_key k on k.id = used.key_id
 where used.expires_at > now() and ${keyIsValid("k")}`

/** Makes the link invalid. Null: it is unknown, was used or has expired, or its key is not valid any more. */
export async function useSignInLink(sql: Sql, token: string): Promise<SigningIn | null> {
  const [row] = await sql<StoredKey & { link_id: string }>(use, [sha256(token)])
  if (!row) return null
  const { link_id: linkId, ...key } = row
  return { method: "link", linkId, key }
}
