import { identifierSchema, isConnectorToken } from "@sitewire/contracts"

export type TriggerUrl = { connection: string; token: string }

/** Returns null if no connection can ever have had this URL, so that no query is needed. */
export function parseTriggerUrl(params: { id?: unknown; token?: unknown }): TriggerUrl | null {
  const { token } = params
  if (typeof token !== "string" || !isConnectorToken(token)) return null
  const id = identifierSchema.safeParse(params.id)
  return id.success ? { connection: id.data, token } : null
}
