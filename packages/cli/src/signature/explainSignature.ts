import { createHash } from "node:crypto"
import { verify } from "@sitewire/signing/sender"
import { z } from "zod"
import { explainHeader } from "./explainHeader.ts"
import { explainMismatch } from "./explainMismatch.ts"

const body = z.object({ bytes: z.int(), sha256: z.string() })
const changed = z.object({
  body: z.string().nullable(),
  secret: z.string().nullable(),
  advice: z.array(z.string()),
})

export const explanationSchema = z
  .union([
    z.object({ body, valid: z.literal(true) }),
    z.object({ body, valid: z.literal(false), reason: z.literal("missing") }),
    z.object({
      body,
      valid: z.literal(false),
      reason: z.literal("malformed"),
      faults: z.array(z.string()),
      /**
       * Whether the signature matches after the header is corrected. "unknown": the header's correct form
       * cannot be determined.
       */
      corrected: z.enum(["matches", "mismatch", "unknown"]),
    }),
    z.object({
      body,
      valid: z.literal(false),
      reason: z.literal("mismatch"),
      matches: z.array(changed),
      tried: z.object({ body: z.array(z.string()), secret: z.array(z.string()) }),
    }),
  ])
  .meta({ id: "Explanation" })

export type Explanation = z.infer<typeof explanationSchema>

/** Verifies with the same function that receivers use, and explains why a signature is invalid. */
export function explainSignature({
  body,
  secret,
  header,
}: {
  body: Buffer
  secret: Buffer
  header: string
}): Explanation {
  const facts = { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") }
  const secrets = [secret.toString()]
  const verdict = verify({ body, header, secrets })
  if (verdict.valid) return { body: facts, valid: true }
  const { reason } = verdict
  if (reason === "missing") return { body: facts, valid: false, reason }
  if (reason === "mismatch") {
    return { body: facts, valid: false, reason, ...explainMismatch({ body, secret, header }) }
  }
  const { faults, repaired } = explainHeader(header)
  const again = repaired === null ? null : verify({ body, header: repaired, secrets })
  const corrected = again === null ? "unknown" : again.valid ? "matches" : "mismatch"
  return { body: facts, valid: false, reason, faults, corrected }
}
