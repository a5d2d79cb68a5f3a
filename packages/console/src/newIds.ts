import { randomBytes } from "node:crypto"

export function newId(
  prefix:
    | "chn"
    | "con"
    | "sec"
    | "key"
    | "req"
    | "job"
    | "aud"
    | "tst"
    | "crt"
    | "syn"
    | "ntf"
    | "ses"
    | "lnk",
): string {
  return `${prefix}_${randomBytes(10).toString("hex")}`
}

/** The token of a session or of a sign-in link: 256 random bits. */
export function newToken(prefix: "swc" | "swl"): string {
  return `${prefix}_${randomBytes(32).toString("base64url")}`
}

export function newSigningSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
