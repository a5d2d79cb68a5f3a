import { randomBytes } from "node:crypto"

/** An id for what its creator did not name: the prefix says what it is, 80 random bits keep it apart. */
export function newId(prefix: "chn" | "con" | "sec" | "key" | "req" | "job"): string {
  return `${prefix}_${randomBytes(10).toString("hex")}`
}

/** What signs a channel's deliveries: 256 random bits. */
export function newSigningSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
