import { hash } from "node:crypto"

/** Through hexadecimal, because a digest that Node returns as a buffer takes twice as long: it has memory of its own. */
export function sha256(data: string | Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(hash("sha256", data, "hex"), "hex")
}
