/** What the account of a process may do with each table. Columns are named where not all are meant. */
export type Rights = Record<string, string[]>

const readAndWrite = ["select", "insert", "update"]
const everything = [...readAndWrite, "delete"]

/**
 * The least rights of each process that need not see everything. The console may change all tables, because it
 * manages all of them.
 */
export const processRights = {
  // It faces the internet, and only reads.
  "trigger-gateway": {
    connection: ["select (id, token_sha256)"],
  },
  "sync-scheduler": {
    connection: [
      "select (id, site, source, source_host, runner, source_version, created_at)",
      // Postgres requires the right to update a column for `for key share`, with which a trigger locks the connection.
      "update (created_at)",
    ],
    sync_window: everything,
    sync_run: ["select", "insert", "delete"],
    "function make_days": ["execute"],
    "function drop_sync_day": ["execute"],
    snapshot: readAndWrite,
    snapshot_chunk: everything,
  },
  "webhook-dispatcher": {
    channel: ["select", "update (last_certification)"],
    channel_rate: readAndWrite,
    channel_status: everything,
    deleted_channel: ["select", "update", "delete"],
    dispatcher: everything,
    delivery: everything,
    waiting_delivery: everything,
    unreachable_channel: everything,
    known_event: everything,
    digest_key: ["select", "insert"],
    "function make_days": ["execute"],
    "function drop_delivery_day": ["execute"],
    died_delivery: ["select", "insert", "update"],
    attempt: ["select", "insert", "delete"],
    // The erasures, whose filters contain only digests.
    job: ["select (id, kind, state, filter, created_at)"],
    receiver_certificate: readAndWrite,
    receiver_check: ["select", "update"],
    retired_secret: ["select"],
  },
  console: {
    "all tables in schema public": everything,
  },
} satisfies Record<string, Rights>

export type ProcessWithRole = keyof typeof processRights

export function roleOf(prefix: string, process: ProcessWithRole): string {
  return prefix + process.replaceAll("-", "_")
}
