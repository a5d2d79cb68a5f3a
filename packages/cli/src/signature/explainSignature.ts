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

/** What a malformed header would give in its right form; "unknown" where that form cannot be told. */
type Corrected = "matches" | "mismatch" | "unknown"

/** Whether the secret signed the body, by the same function that receivers use, and if not, why not. */
export function explain({
  body,
  secret,
  header,
}: {
  body: Buffer
  secret: Buffer
  header: string
}): Explanation {
  const about = { bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") }
  const secrets = [secret.toString()]
  const verdict = verify({ body, header, secrets })
  if (verdict.valid) return { body: about, valid: true }
  const { reason } = verdict
  if (reason === "missing") return { body: about, valid: false, reason }
  if (reason === "mismatch") {
    return { body: about, valid: false, reason, ...explainMismatch({ body, secret, header }) }
  }
  const { faults, repaired } = explainHeader(header)
  const again = repaired === null ? null : verify({ body, header: repaired, secrets })
  const corrected = again === null ? "unknown" : again.valid ? "matches" : "mismatch"
  return { body: about, valid: false, reason, faults, corrected }
}
