import { randomBytes } from "node:crypto"

/** A new id at each start. It is no host name, because partners can read it in their channel's health. */
export function newDispatcherId(): string {
  return `dsp_${randomBytes(6).toString("hex")}`
}
