import { allRoles, sha256 } from "@sitewire/contracts"
import { checkBroker, connectKafka, type KafkaOptions } from "@sitewire/kafka"
import { type Logger, waitForDependency } from "@sitewire/runtime"
import type { DatabaseAccess } from "../login.ts"
import { type BusyRetry, type LockHolder, migrate } from "../migrate.ts"
import { openPool, type Sql } from "../pool.ts"
import { ensureProcessRoles } from "../roles.ts"
import { prepareTopics, type TopicSettings } from "./prepareTopics.ts"

export type PrepareSettings = {
  database: DatabaseAccess
  /** Undefined: no roles are created. */
  rolePrefix?: string | undefined
  firstApiKey?: string | undefined
  kafka: KafkaOptions
  deadlineMs: number
  log: Logger
} & TopicSettings

/** May be repeated, and may run several times at once. */
export async function prepare(settings: PrepareSettings): Promise<void> {
  const { database, deadlineMs, log } = settings
  const pool = openPool({ ...database, size: 1, name: "sitewire-setup" })
  try {
    await waitForDependency({
      name: "Postgres",
      check: () => pool.sql("select 1"),
      deadlineMs,
      remedy: "Check that it runs, and that DATABASE_URL names it and an account that may create tables.",
      log,
    })
    const onBusy = (error: Error, { attempt, attempts, pauseMs: retryInMs }: BusyRetry) =>
      log.warn(
        { error, attempt, attempts, retryInMs },
        "a migration met a table in use or a deadlock; it is tried again",
      )
    const onLocked = ({ pid, address, since, waitedMs }: LockHolder) =>
      log.warn(
        {
          waitedMs,
          detail: `The connection ${pid} of Postgres, from ${address ?? "an unknown address"}, has had it since ${since?.toISOString() ?? "an unknown time"}. If no setup job runs there any more, end it: select pg_terminate_backend(${pid})`,
        },
        "waiting for the migrations of another setup job, which has their lock",
      )
    const { url, readPassword } = database
    log.info({ applied: await migrate(url, { readPassword, onBusy, onLocked }) }, "migrations are applied")
    if (settings.rolePrefix !== undefined) {
      const created = await ensureProcessRoles({ ...database, prefix: settings.rolePrefix })
      log.info({ created }, "the processes' roles have their rights")
    }
    if (settings.firstApiKey !== undefined) {
      const { stored } = await storeFirstApiKey(pool.sql, settings.firstApiKey)
      log.info({ stored }, "the first API key exists")
    }
  } finally {
    await pool.close()
  }

  const kafka = connectKafka({ ...settings.kafka, clientId: "setup", log })
  await waitForDependency({
    name: "Kafka",
    check: async () => {
      const state = await checkBroker({ kafka })
      if (state.status !== "reachable") throw new Error(state.why)
    },
    deadlineMs,
    remedy: "Start it, or correct KAFKA_BROKERS.",
    log,
  })
  await prepareTopics(kafka, settings, log)
}

/** Changes nothing if the key is known, so a revoked key stays revoked when the setup job runs again. */
async function storeFirstApiKey(sql: Sql, key: string): Promise<{ stored: boolean }> {
  const hash = sha256(key)
  const rows = await sql(
    `with stored as (
       insert into api_key (id, name, key_sha256, scopes) values ('key_' || $1, 'first key', $2, $3)
       on conflict (key_sha256) do nothing returning id, name, scopes
     )
     insert into audit_entry (id, key_id, key_name, operation, target_kind, target_id, changes, request_id)
     select 'aud_' || $1, 'setup', 'setup job', 'createApiKey', 'key', id,
            jsonb_build_object('name', jsonb_build_object('old', null, 'new', name),
                               'scopes', jsonb_build_object('old', null, 'new', scopes)), ''
       from stored returning 1 as one`,
    [hash.toString("hex").slice(0, 20), hash, allRoles],
  )
  return { stored: rows.length > 0 }
}
