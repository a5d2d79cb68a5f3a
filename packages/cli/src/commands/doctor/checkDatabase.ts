import type { DatabaseInspection } from "@sitewire/database/inspect"
import { messageOf } from "../../errors/failure.ts"
import type { Session } from "../../session/createSession.ts"
import { usesLocalStack } from "../../target/findApi.ts"
import { findLocalStack } from "../../target/localStack.ts"
import { nonEmpty } from "../../target/targetSources.ts"
import { type Check, compareClocks, fault, measureClock, notChecked, ok, warning } from "./check.ts"

export async function checkDatabase(session: Session): Promise<Check[]> {
  const url = findUrl(session)
  if (url === undefined) {
    const advice = "Set DATABASE_URL to the services' Postgres."
    return [notChecked("database, migrations, sealing keys", "DATABASE_URL is not set", advice)]
  }
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    return [fault("database", "DATABASE_URL is not a postgresql:// URL", "Correct it.")]
  }
  const { inspectDatabase } = await import("@sitewire/database/inspect")
  let database: DatabaseInspection
  try {
    database = inspectDatabase(await findAccess(session, url))
  } catch (error) {
    return [fault("database", messageOf(error), "Correct these variables.")]
  }
  try {
    const version = await database.version()
    // One after the other: a clock is measured while nothing else runs.
    return [
      ok("database", `Postgres ${version} responds`),
      await guard("migrations", () => checkMigrations(database)),
      await guard("sealing keys", () => checkSealingKeys(session, database)),
      await guard("database's clock", async () =>
        compareClocks("database's clock", await measureClock(database.clock)),
      ),
    ]
  } catch (error) {
    return [
      fault(
        "database",
        messageOf(error),
        "Check DATABASE_URL, and that Postgres runs and accepts this account.",
      ),
    ]
  } finally {
    await database.close()
  }
}

/** The local stack's database only with its API: another API has another database. */
function findUrl(session: Session): string | undefined {
  const configured = nonEmpty(session.env.DATABASE_URL)
  if (configured !== undefined) return configured
  return usesLocalStack(session) ? findLocalStack(session.cwd)?.stack.database : undefined
}

/** The services' way to log in, if the address is theirs. */
async function findAccess({ env }: Session, url: string) {
  const { databaseAccess } = await import("@sitewire/runtime/config")
  const command =
    nonEmpty(env.DATABASE_URL) === undefined ? undefined : nonEmpty(env.DATABASE_PASSWORD_COMMAND)
  return databaseAccess({ DATABASE_URL: url, DATABASE_PASSWORD_COMMAND: command })
}

async function guard(name: string, check: () => Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    const advice =
      "Use the account of the setup job, because others may not read all tables. If one is missing, run that job."
    return fault(name, messageOf(error), advice)
  }
}

async function checkMigrations(database: DatabaseInspection): Promise<Check> {
  const { missing, unknown } = await database.migrations()
  const name = "migrations"
  if (missing.length > 0) {
    return fault(name, `not applied: ${missing.join(", ")}`, "Run the setup job of this version.")
  }
  if (unknown.length > 0) {
    const advice = "Use a command of the installed version."
    return warning(name, `applied, and unknown to this version: ${unknown.join(", ")}`, advice)
  }
  return ok(name, "all are applied")
}

async function checkSealingKeys(session: Session, database: DatabaseInspection): Promise<Check> {
  const name = "sealing keys"
  const used = await database.usedSealingKeys()
  const names = used.map(({ id, values }) => `${id} (${values} values)`).join(", ") || "none yet"
  const text = nonEmpty(session.env.SEALING_KEYS)
  if (text === undefined) {
    return notChecked(name, `SEALING_KEYS is not set; used: ${names}`, "Set SEALING_KEYS as in the services.")
  }
  const { openSample, readSealingKeys } = await import("@sitewire/database/inspect")
  let keys: ReturnType<typeof readSealingKeys>
  try {
    keys = readSealingKeys(text)
  } catch (error) {
    const advice =
      "Correct its form: id:base64 pairs separated by commas, each with a key of 32 bytes, as in the services."
    return fault(name, messageOf(error), advice)
  }
  try {
    for (const key of used) openSample(keys, key)
    return ok(name, `SEALING_KEYS opens what is stored; used: ${names}`)
  } catch (error) {
    const advice =
      "Add the key with which it was sealed to SEALING_KEYS of the services; see rotate-secrets.md."
    return fault(name, messageOf(error), advice)
  }
}
