import { type SealingKeys, unseal } from "@sitewire/database"

/** Null if the key that sealed the value is missing. */
export function tryUnseal(sealingKeys: SealingKeys, context: string, sealed: Uint8Array): string | null {
  try {
    return unseal(sealingKeys, context, sealed)
  } catch {
    return null
  }
}
