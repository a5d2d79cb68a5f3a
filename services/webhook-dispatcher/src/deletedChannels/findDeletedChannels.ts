import type { Sql } from "@sitewire/database"

/** Statements that began before a channel's deletion have ended after this time. */
const statementsEndWithin = "1 minute"

/** Channels that were deleted at least `afterMs` ago, and may still have deliveries that wait. */
export async function findDeletedChannels(sql: Sql, { afterMs }: { afterMs: number }): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `select id from deleted_channel
      where ended_at is null and deleted_at < now() - $1::float8 * interval '1 millisecond'`,
    [afterMs],
  )
  return rows.map(({ id }) => id)
}

/** A dispatcher may have stored an event during the deletion, so the channel is not finished at once. */
export async function finishDeletedChannel(sql: Sql, channel: string): Promise<void> {
  await sql(
    `update deleted_channel set ended_at = now()
      where id = $1 and deleted_at < now() - interval '${statementsEndWithin}'
        and not exists (select from waiting_delivery where channel_id = $1)`,
    [channel],
  )
}
