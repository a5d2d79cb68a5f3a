import pg from "pg"
import { createSession, type DatabaseAccess } from "../login.ts"
import { type ProcessWithRole, processRights, type Rights, roleOf, unchangeable } from "./processRights.ts"

/** The key of our advisory lock: any number that no other advisory lock uses. */
const rolesLock = 7_483_920_115

/**
 * Creates a role for each process, without a login, and sets its rights to those of `processRights`. Operators make
 * the processes' accounts members of these roles. May be repeated, and may run several times at once. Returns the
 * roles that it created.
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
