import { randomBytes } from "node:crypto"

/** A generated id: a prefix for its kind, and 80 random bits. */
export function newId(prefix: "chn" | "con" | "sec" | "key" | "req" | "job"): string {
  return `${prefix}_${randomBytes(10).toString("hex")}`
}

/** The secret that signs a channel's deliveries: 256 random bits. */
export function newSigningSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
