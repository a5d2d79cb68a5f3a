import { createHash } from "node:crypto"
import { verify } from "@sitewire/signing"
import { explainHeader } from "./explainHeader.ts"
import { explainMismatch, type Mismatch } from "./explainMismatch.ts"

export type Explanation = { body: { bytes: number; sha256: string } } & (
  | { valid: true }
  | { valid: false; reason: "missing" }
  | { valid: false; reason: "malformed"; faults: string[]; corrected: Corrected }
  | ({ valid: false; reason: "mismatch" } & Mismatch)
)

/**
 * Whether the signature in a malformed header matches after the header is corrected. "unknown": the header's
 * correct form cannot be determined.
 */
type Corrected = "matches" | "mismatch" | "unknown"

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
