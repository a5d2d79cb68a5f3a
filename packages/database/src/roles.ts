import pg from "pg"
import { createSession, type DatabaseAccess } from "./login.ts"

/** What the account of a process may do with each table. Columns are named where not all are meant. */
type Rights = Record<string, string[]>

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
const unchangeable = "audit_entry"

export type ProcessWithRole = keyof typeof processRights

export function roleOf(prefix: string, process: ProcessWithRole): string {
  return prefix + process.replaceAll("-", "_")
}

/** The key of our advisory lock: any number that no other uses. */
const rolesLock = 7_483_920_115

/**
 * Creates a role for each process, without a login, and sets its rights. Operators make the processes' accounts members of these roles.
 * May be repeated, and may run several times at once. Returns the roles that it created.
 */
export async function ensureProcessRoles({
  prefix,
  ...access
}: DatabaseAccess & { prefix: string }): Promise<string[]> {
  const session = createSession(access, "sitewire-roles")
  await session.connect()
  try {
    // One transaction, so that a process never lacks a right while it is being set.
    await session.query("begin")
    await session.query("select pg_advisory_xact_lock($1)", [rolesLock])
    const created: string[] = []
    for (const [process, rights] of Object.entries(processRights)) {
      const role = roleOf(prefix, process as ProcessWithRole)
      if (await createRole(session, role)) created.push(role)
      await session.query(setRights(role, rights).join(";\n"))
    }
    await session.query("commit")
    return created
  } finally {
    await session.end()
  }
}

async function createRole(session: pg.Client, role: string): Promise<boolean> {
  const { rows } = await session.query("select 1 from pg_roles where rolname = $1", [role])
  if (rows.length > 0) return false
  await session.query(`create role ${pg.escapeIdentifier(role)} nologin`).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError && error.code === "42501")) throw error
    const why = `The role ${role} does not exist, and the account of DATABASE_URL may not create it.`
    throw new Error(
      `${why} Create it as an administrator ("create role ${role}"), or give the account CREATEROLE.`,
    )
  })
  return true
}

function setRights(role: string, rights: Rights): string[] {
  const name = pg.escapeIdentifier(role)
  return [
    `revoke all on all tables in schema public from ${name}`,
    `grant usage on schema public to ${name}`,
    ...Object.entries(rights).map(([table, allowed]) => `grant ${allowed.join(", ")} on ${table} to ${name}`),
    `revoke update, delete on ${unchangeable} from ${name}`,
    // The history of migrations is the setup job's.
    `revoke all on _prisma_migrations from ${name}`,
  ]
}
