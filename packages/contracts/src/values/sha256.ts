import { hash } from "node:crypto"

/** The hash is converted from hexadecimal, because Node takes twice as long to return it as a buffer. */
export function sha256(data: string | Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(hash("sha256", data, "hex"), "hex")
}
