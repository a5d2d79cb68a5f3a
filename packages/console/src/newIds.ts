import { randomBytes } from "node:crypto"

export function newId(
  prefix: "chn" | "con" | "sec" | "key" | "req" | "job" | "aud" | "tst" | "crt" | "syn" | "ntf",
): string {
  return `${prefix}_${randomBytes(10).toString("hex")}`
}

export function newSigningSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
