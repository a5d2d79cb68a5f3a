import type { ChannelQuery } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { failingChannels } from "../../channels/failingChannels.ts"

/** Ids of matching channels below `after`, newest first. An installation has few enough channels to scan them. */
export async function searchChannels(
  sql: Sql,
  { q, paused, health }: ChannelQuery,
  { caller, after, count }: { caller: Caller; after: readonly [string, string] | undefined; count: number },
): Promise<string[]> {
  const values: unknown[] = []
  const parameter = (value: unknown) => `$${values.push(value)}`
  const conditions = ["true"]
  if (caller.channels !== "all") conditions.push(`id = any(${parameter(caller.channels)}::text[])`)
  if (after)
    conditions.push(`(created_at, id) < (${parameter(after[0])}::timestamptz, ${parameter(after[1])})`)
  if (paused !== undefined) conditions.push(`paused_at is ${paused ? "not null" : "null"}`)
  if (health !== undefined)
    conditions.push(`id ${health === "failing" ? "in" : "not in"} (${failingChannels})`)
  if (q !== undefined) {
    const text = `lower(${parameter(q)})`
    // Only the host is searched, because a path or a query may contain a credential.
    const host = "substring(address from '^https?://([^/?#]+)')"
    conditions.push(`(strpos(lower(id), ${text}) > 0 or strpos(lower(${host}), ${text}) > 0)`)
  }
  const rows = await sql<{ id: string }>(
    `select id from channel where ${conditions.join(" and ")}
      order by created_at desc, id desc limit ${parameter(count)}`,
    values,
  )
  return rows.map(({ id }) => id)
}
