import { randomBytes } from "node:crypto"
import { sha256 } from "@sitewire/contracts"
import type { PrismaClient } from "@sitewire/database/prisma"
import { newId } from "../newIds.ts"

/** `swk_` and 256 random bits: enough that their plain hash can be kept, without salt or slow function. */
const form = /^swk_[A-Za-z0-9_-]{43}$/

/**
 * Makes a key of the management API. `key` is told here and never again: only its SHA-256 is kept. `name` says whose
 * it is.
 */
export async function createApiKey({
  prisma,
  name,
}: {
  prisma: Pick<PrismaClient, "apiKey">
  name: string
}): Promise<{ id: string; key: string }> {
  const id = newId("key")
  const key = `swk_${randomBytes(32).toString("base64url")}`
  await prisma.apiKey.create({ data: { id, name, keySha256: sha256(key) } })
  return { id, key }
}

/**
 * Id and name of the key that an Authorization header holds, or null where it holds none that is valid. Looked up at each
 * request: a key that was revoked a moment ago is refused.
 */
export async function findApiKey(
  prisma: PrismaClient,
  authorization: string,
): Promise<{ id: string; name: string } | null> {
  const [scheme = "", key = "", ...rest] = authorization.split(" ")
  if (scheme.toLowerCase() !== "bearer" || rest.length > 0 || !form.test(key)) return null
  // An index lookup of a hash gives a guesser no useful timing: which bits matched says nothing about the key.
  return prisma.apiKey.findFirst({
    where: { keySha256: sha256(key), revokedAt: null },
    select: { id: true, name: true },
  })
}
