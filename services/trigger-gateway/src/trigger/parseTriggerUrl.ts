import { identifierSchema, isConnectorToken } from "@sitewire/contracts"

export type Address = { connection: string; token: string }

/** What the path names, or null where it cannot be an address that was ever given out; that costs no query. */
export function readAddress(params: { id?: unknown; token?: unknown }): Address | null {
  const { token } = params
  if (typeof token !== "string" || !isConnectorToken(token)) return null
  const id = identifierSchema.safeParse(params.id)
  return id.success ? { connection: id.data, token } : null
}
