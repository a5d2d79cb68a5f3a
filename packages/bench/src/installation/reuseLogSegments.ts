import type { Sql } from "@sitewire/database"

/** 448 MB. A delivery writes 1.3 KB, and no part that measures deliveries makes more than 290,000. */
const segments = 28

/**
 * Leaves Postgres segments of its write-ahead log to write over, as one has that has run for a while. A new one makes
 * each of them, 16 MB, when it gets there, and all commits wait for that: 60 ms every 15 s at 845 deliveries a second.
 */
export async function reuseLogSegments(sql: Sql): Promise<void> {
  for (let made = 0; made < segments; made++) {
    await sql("select pg_logical_emit_message(false, 'bench', 'so that there is something to switch from')")
    await sql("select pg_switch_wal()")
  }
  // What was written before the last checkpoint but one is free.
  await sql("checkpoint")
  await sql("checkpoint")
}
