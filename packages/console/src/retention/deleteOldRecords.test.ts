import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { deleteOldRecords } from "./deleteOldRecords.ts"

test("audit entries older than the retention and responses older than a day are deleted, and no others", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  await sql(`insert into audit_entry (id, created_at, key_id, key_name, operation, target_kind, target_id, changes, request_id)
    select 'aud_' || n, now() - n * interval '1 day', 'k', 'k', 'o', 'channel', 'c', '{}', 'r' from generate_series(1, 2500) n`)
  await sql(`insert into idempotency_record (key_id, idempotency_key, request_digest, created_at)
    select 'k', n::text, '', now() - n * interval '1 hour' from generate_series(1, 30) n`)
  // Entries 1 to 99 and responses 1 to 23 are younger.
  expect(await deleteOldRecords(sql, 99.5 * 86_400_000)).toBe(2_401 + 7)
  const [left] = await sql(
    "select (select count(*)::int from audit_entry) as a, (select count(*)::int from idempotency_record) as i",
  )
  expect(left).toEqual({ a: 99, i: 23 })
  await close()
  await database.drop()
})

test("old jobs are deleted, except erasures and those that have not ended", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  await sql(`insert into job (id, kind, state, filter, reason, requested_by, created_at, finished_at)
    select kind || state || n, kind::job_kind, state::job_state, '{}', 'r', 'k', now() - n * interval '1 day',
           case state when 'running' then null else now() - n * interval '1 day' end
      from generate_series(1, 10) n, unnest(array['resend', 'erasure']) kind, unnest(array['done', 'running']) state`)
  expect(await deleteOldRecords(sql, 7.5 * 86_400_000)).toBe(3)
  const left = await sql("select id from job where kind = 'resend' and state = 'done'")
  expect(left).toHaveLength(7)
  await close()
  await database.drop()
})

test("resolved incidents are deleted by age and beyond the newest 100,000, and open ones never", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  await sql(`insert into incident (id, kind, subject_id, details, since, created_at, resolved_at)
    select 'inc_' || n, 'channel.failing', n::text, '{}', now(), now() - n * interval '1 minute',
           case when n % 1000 <> 0 then now() end from generate_series(1, 103000) n`)
  // 102,897 are resolved. The oldest 1,560 are too old, two of which are open; 1,339 of the others are too many.
  expect(await deleteOldRecords(sql, 101_440.5 * 60_000)).toBe(2_897)
  const [left] = await sql("select count(*)::int as open from incident where resolved_at is null")
  expect(left).toEqual({ open: 103 })
  const kept = await sql("select from incident where resolved_at is not null")
  expect(kept).toHaveLength(100_000)
  await close()
  await database.drop()
})

test("sessions and sign-in links older than a day are deleted", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  await sql("insert into api_key (id, name, key_sha256, scopes) values ('k', 'k', '', '{}')")
  for (const table of ["session", "sign_in_link"])
    await sql(`insert into ${table} (id, token_sha256, key_id, created_at, expires_at${table === "session" ? ", idle_seconds" : ""})
      select n::text, n::text::bytea, 'k', now() - n * interval '1 hour', now()${table === "session" ? ", 1" : ""} from generate_series(1, 30) n`)
  expect(await deleteOldRecords(sql, 1)).toBe(7 + 7)
  await close()
  await database.drop()
})

test("replaced contents that have expired are deleted, and the newest ones stay", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  await sql(`insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
    select n::text, 's', 's', '', '', '' from generate_series(1, 10) n`)
  await sql("insert into sync_window (connection_id) select id from connection")
  await sql(
    "insert into snapshot (connection_id, fence, content_sha256, bytes) select id, 2, '', 1 from connection",
  )
  await sql(`insert into previous_snapshot (connection_id, fence, content_sha256, bytes, stored_at, replaced_at)
    select n::text, 1, '', 1, now(), now() - (n + 2.5) * interval '1 minute' from generate_series(1, 10) n`)
  await sql(`insert into snapshot_chunk (connection_id, fence, position, data)
    select id, fence, 0, '' from connection, generate_series(1, 2) fence`)
  expect(await deleteOldRecords(sql, 1)).toBe(3)
  const [left] = await sql(`select count(*)::int as chunks, count(*) filter (where fence = 2)::int as newest,
    (select count(*)::int from previous_snapshot) as previous from snapshot_chunk`)
  expect(left).toEqual({ chunks: 17, newest: 10, previous: 7 })
  await close()
  await database.drop()
})
