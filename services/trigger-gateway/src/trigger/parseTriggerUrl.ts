import { identifierSchema, isConnectorToken } from "@sitewire/contracts"

export type TriggerUrl = { connection: string; token: string }

/** Null if no connection can ever have had this URL, which saves a query. */
export function parseTriggerUrl(params: { id?: unknown; token?: unknown }): TriggerUrl | null {
  const { token } = params
  if (typeof token !== "string" || !isConnectorToken(token)) return null
  const id = identifierSchema.safeParse(params.id)
  return id.success ? { connection: id.data, token } : null
}
