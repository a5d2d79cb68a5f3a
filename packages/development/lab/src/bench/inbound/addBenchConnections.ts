import type { Installation } from "../installation/startBenchInstallation.ts"

/** Returns the paths of the connections' trigger URLs, which contain the tokens. */
export async function addBenchConnections(
  { sql, addConnections }: Pick<Installation, "sql" | "addConnections">,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `bench-${at}`)
  const tokens = await addConnections(ids.map((id) => ({ id, source: `https://partner.example/${id}` })))
  await sql("insert into sync_window (connection_id) select unnest($1::text[]) on conflict do nothing", [ids])
  await sql("vacuum analyze connection")
  return ids.map((id, at) => `/connectors/hook/${id}/${tokens[at]}/`)
}
