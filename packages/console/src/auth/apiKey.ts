import { randomBytes } from "node:crypto"
import { sha256 } from "@sitewire/contracts"
import type { PrismaClient } from "@sitewire/database/prisma"
import { newId } from "../newIds.ts"

/** `swk_` and 256 random bits. A hash of so many random bits needs neither a salt nor a slow function. */
const keyFormat = /^swk_[A-Za-z0-9_-]{43}$/

/** Creates an API key. Only its SHA-256 is stored, so `key` cannot be read again. */
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
 * Finds the valid API key that an Authorization header contains. Keys are not cached, so that a
 * revoked key is rejected at once.
 */
export async function findApiKey(
  prisma: PrismaClient,
  authorization: string,
): Promise<{ id: string; name: string } | null> {
  const [scheme = "", key = "", ...rest] = authorization.split(" ")
  if (scheme.toLowerCase() !== "bearer" || rest.length > 0 || !keyFormat.test(key)) return null
  // The key is found by an index on its hash, without a comparison in constant time. The time of the search
  // may reveal bits of the hash, but none of the key.
  return prisma.apiKey.findFirst({
    where: { keySha256: sha256(key), revokedAt: null },
    select: { id: true, name: true },
  })
}
