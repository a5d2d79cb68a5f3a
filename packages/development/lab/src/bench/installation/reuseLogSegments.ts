import type { Sql } from "@sitewire/database"

/** 28 segments of 16 MB: more than any part of the bench writes. */
const segments = 28

/**
 * Creates segments of the write-ahead log in advance, for Postgres to reuse. A newly started Postgres has
 * none: at 845 deliveries/s, all commits would wait 60 ms every 15 s, while Postgres creates a segment.
 */
export async function reuseLogSegments(sql: Sql): Promise<void> {
  for (let made = 0; made < segments; made++) {
    await sql("select pg_logical_emit_message(false, 'bench', 'so that there is something to switch from')")
    await sql("select pg_switch_wal()")
  }
  // Checkpoints make the segments that are full reusable.
  await sql("checkpoint")
  await sql("checkpoint")
}
