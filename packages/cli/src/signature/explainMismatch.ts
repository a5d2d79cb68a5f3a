import { createHmac, timingSafeEqual } from "node:crypto"
import { bodyVariants, secretVariants, type Variant } from "./bodyVariants.ts"

/**
 * Changes that make the signature valid: `body` describes the change of the body, `secret` that of the
 * secret. Null: this part needs no change.
 */
export type Match = { body: string | null; secret: string | null; advice: string[] }
export type Mismatch = { matches: Match[]; tried: { body: string[]; secret: string[] } }

/**
 * Checks each variant of the body with each variant of the secret. Returns only the matches with the fewest
 * changes, because unnecessary changes are not the cause.
 */
export function explainMismatch({
  body,
  secret,
  header,
}: {
  body: Buffer
  secret: Buffer
  header: string
}): Mismatch {
  const claimed = Buffer.from(header.slice("sha256=".length), "hex")
  const bodies = bodyVariants(body)
  const secrets = secretVariants(secret)
  const found: Match[] = []
  for (const key of [null, ...secrets]) {
    for (const content of [null, ...bodies]) {
      if (key === null && content === null) continue
      const signature = createHmac("sha256", key?.bytes ?? secret).update(content?.bytes ?? body)
      if (!timingSafeEqual(signature.digest(), claimed)) continue
      const changes = [content, key].filter((change): change is Variant => change !== null)
      found.push({
        body: content?.change ?? null,
        secret: key?.change ?? null,
        advice: changes.map((c) => c.advice),
      })
    }
  }
  const fewest = Math.min(...found.map(({ advice }) => advice.length))
  return {
    matches: found.filter(({ advice }) => advice.length === fewest),
    tried: { body: bodies.map(({ change }) => change), secret: secrets.map(({ change }) => change) },
  }
}
