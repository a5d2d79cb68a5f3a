import { randomBytes } from "node:crypto"

export function newId(
  prefix: "chn" | "con" | "sec" | "key" | "req" | "job" | "aud" | "tst" | "syn" | "inc" | "ses" | "lnk",
): string {
  return `${prefix}_${randomBytes(10).toString("hex")}`
}
