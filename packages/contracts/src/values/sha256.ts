import { hash } from "node:crypto"

/** Asked for as bytes, Node makes the digest a buffer with memory of its own, which takes twice as long as this. */
export function sha256(data: string | Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(hash("sha256", data, "hex"), "hex")
}
