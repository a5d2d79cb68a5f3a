/** What the account of a process may do with each table. Columns are named where not all are meant. */
export type Rights = Record<string, string[]>

const readAndWrite = ["select", "insert", "update"]
const everything = [...readAndWrite, "delete"]

/**
 * The least rights of each process that need not see everything. The console may change all tables, because it
 * manages all of them, but nobody changes or deletes entries of the audit log (`unchangeable`).
 */
export const processRights = {
  // It faces the internet, and only reads.
  "trigger-gateway": {
    connection: ["select (id, token_sha256)"],
  },
  "sync-scheduler": {
    connection: [
      "select (id, site, source, source_host, runner, source_version, created_at, signing_secret_sealed, request_headers_sealed)",
      // Postgres requires the right to update a column for `for key share`, with which a trigger locks the connection.
      "update (created_at)",
    ],
    sync_window: everything,
    sync_run: ["select", "insert", "delete"],
    "function make_days": ["execute"],
    "function drop_sync_day": ["execute"],
    snapshot: readAndWrite,
    previous_snapshot: everything,
    snapshot_chunk: everything,
    unpublished_change: everything,
  },
  "webhook-dispatcher": {
    channel: ["select", "update (other_secret_test)"],
    channel_failure: readAndWrite,
    channel_rate: readAndWrite,
    channel_status: everything,
    deleted_channel: ["select"],
    dispatcher: everything,
    delivery: everything,
    waiting_delivery: everything,
    unreachable_channel: readAndWrite,
    known_event: everything,
    digest_key: ["select", "insert"],
    "function make_days": ["execute"],
    "function drop_delivery_day": ["execute"],
    ended_delivery: everything,
    attempt: ["select", "insert", "delete"],
    // The erasures, whose filters contain only digests.
    job: ["select (kind, state, filter, created_at)"],
    erasure_list: ["select"],
    receiver_certificate: readAndWrite,
    receiver_check: ["select", "update"],
  },
  console: {
    "all tables in schema public": everything,
    "function delete_audit_entries": ["execute"],
  },
} satisfies Record<string, Rights>

/** The table to whose rows roles can only add. */
export const unchangeable = "audit_entry"

export type ProcessWithRole = keyof typeof processRights

export function roleOf(prefix: string, process: ProcessWithRole): string {
  return prefix + process.replaceAll("-", "_")
}
