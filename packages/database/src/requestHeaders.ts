import { z } from "zod"
import { type SealingKeys, seal, unseal } from "./seal.ts"

const valuesSchema = z.record(z.string(), z.string())

/** Seals the headers of the requests to a source or a receiver as one value. Null: there are none. */
export function sealRequestHeaders(
  keys: SealingKeys,
  context: string,
  headers: readonly { name: string; value: string }[],
): Buffer | null {
  if (headers.length === 0) return null
  return seal(
    keys,
    context,
    JSON.stringify(Object.fromEntries(headers.map(({ name, value }) => [name, value]))),
  )
}

/** Names in lower case. Send our own headers after these, because none of these may replace them. */
export function openRequestHeaders(
  keys: SealingKeys,
  context: string,
  sealed: Uint8Array | null,
): Record<string, string> {
  return sealed === null ? {} : valuesSchema.parse(JSON.parse(unseal(keys, context, sealed)))
}
