import { hash } from "node:crypto"

/** Through hexadecimal, because a digest that Node returns as a buffer takes twice as long. */
export function sha256(data: string | Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(hash("sha256", data, "hex"), "hex")
}
