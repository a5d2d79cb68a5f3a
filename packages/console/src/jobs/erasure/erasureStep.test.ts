import { createHash } from "node:crypto"
import { sha256 } from "@sitewire/contracts"
import { keyedDigest, openPool, readDigestKey } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { insertDeliveries, insertWaiting } from "../../../test/fixtures/deliveries.ts"
import { type Jobs, startJobs } from "../../../test/fixtures/jobs.ts"
import { sealingKeys } from "../../../test/fixtures/startConsole.ts"

const email = "Owner.Of@Shop.example"
const bodyOf = (fields: object) =>
  JSON.stringify({
    event: "site.ready",
    site_url: "https://shop-1.example",
    name: "\u0000 a name",
    ...fields,
  })

/** Stores the digest of the address with the deliveries, as dispatchers do. */
async function storeDigest(it: Jobs, ids: string[], address: string): Promise<void> {
  const key = await readDigestKey(it.sql, sealingKeys)
  const emailSha256 = createHash("sha256").update(address.toLowerCase()).digest("hex")
  await it.sql("update delivery set email_digest = $2 where id = any($1)", [
    ids,
    keyedDigest(key, emailSha256),
  ])
}

/** Every value of every row of every table, as text; bytes as UTF-8 and as hexadecimal. */
async function everything(it: Jobs): Promise<string> {
  const tables = await it.sql<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const row of await it.sql(`select * from ${name}`)) {
      for (const value of Object.values(row)) {
        found.push(
          Buffer.isBuffer(value)
            ? `${value.toString("utf8")} ${value.toString("hex")}`
            : JSON.stringify(value),
        )
      }
    }
  }
  return found.join("\n")
}

test("an erasure leaves no trace of an e-mail address in any table or log line, and its job is the proof", async () => {
  await using it = await startJobs()
  const body = bodyOf({ email: email.toLowerCase() })
  const theirs = await it.deliveries(3, { body, days: 3 })
  const [resent = ""] = theirs
  const waiting = await it.deliveries(1, { body: bodyOf({ email }), days: 2, state: "pending" })
  const others = await it.deliveries(700, { body: bodyOf({ email: `x${email}` }), days: 1 })
  await storeDigest(it, [...theirs.slice(1), ...waiting], email)
  await storeDigest(it, others, `x${email}`)
  await insertWaiting(it.sql, resent, { deferred_at: "now()", deferred_reason: "'resend'", failures: "0" })
  await it.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id, response_excerpt, request_headers)
     select id, 1, now(), 1, 's', convert_to('you sent: ' || $2, 'UTF8'), 'X-Sitewire-Signature: sha256=a1b2c3d4…'
       from unnest($1::uuid[]) as id`,
    [[...theirs, others[0]], email],
  )
  const channel = { id: "contacted", address: "https://partner.example/", contact: email }
  expect((await it.call("POST", "/v1/channels", { body: channel })).status).toBe(201)
  const searchKeys = [sha256("a reference"), sha256("a site")].map((key) => key.subarray(0, 12))
  await it.sql("update delivery set reference_key = $2, site_key = $3 where id = any($1)", [
    [...theirs, ...waiting],
    ...searchKeys,
  ])
  const emailSha256 = createHash("sha256").update(email.toLowerCase()).digest("hex")
  const traces = [email, emailSha256, email.toLowerCase(), Buffer.from(email.toLowerCase()).toString("hex")]
  await it.sql("update delivery set state = 'dead', finished_at = now() - interval '1 hour' where id = $1", [
    theirs[0],
  ])
  traces.push(createHash("sha256").update(body).digest("hex"), "a1b2c3d4")
  traces.push(...searchKeys.map((key) => key.toString("hex")))

  const dry = { email, reason: "r", dry_run: true }
  expect((await it.call("POST", "/v1/jobs/erasure", { body: dry })).json).toMatchObject({
    matching: 4,
    newest: [...theirs, ...waiting].sort().toReversed(),
  })
  expect((await it.sql("select from delivery where state = 'erased'")).length).toBe(0)

  const { id } = await it.begin("erasure", {
    email: ` ${email}`.trim().toUpperCase(),
    reason: "ticket 9",
  })
  const proof = await it.end(id)
  expect(proof).toMatchObject({
    state: "done",
    counts: { scanned: 4, deliveries_erased: 4, excerpts_erased: 3, contacts_deleted: 1 },
    filter: {
      email_digest: keyedDigest(await readDigestKey(it.sql, sealingKeys), emailSha256).toString("hex"),
    },
    remains: [
      { topic: it.names.sitePaid, retention_ends_at: later(proof.created_at, 7) },
      { topic: it.names.sitePaidInvalid, retention_ends_at: later(proof.created_at, 30) },
    ],
  })
  const erased = await it.sql<{ id: string; finished_at: Date | null }>(
    "select id, finished_at from delivery where state = 'erased'",
  )
  expect(erased.map((row) => row.id).toSorted()).toEqual([...theirs, ...waiting].toSorted())
  for (const { finished_at } of erased)
    expect(finished_at?.getTime()).toBeGreaterThanOrEqual(Date.parse(proof.created_at))
  expect((await it.call("GET", `/v1/deliveries/${theirs[0]}`)).json).toMatchObject({
    last_job: { id, kind: "erasure" },
  })
  expect(await it.sql("select from waiting_delivery")).toEqual([])
  // What was not delivered before, its publisher hears of.
  expect(await it.sql("select delivery_id, state::text, error from ended_delivery")).toEqual(
    waiting.map((delivery_id) => ({ delivery_id, state: "erased", error: null })),
  )
  // Delete the other deliveries: their e-mail addresses end with the erased one.
  expect((await it.sql("delete from delivery where id = any($1) returning id", [others])).length).toBe(700)
  await it.sql("delete from attempt where delivery_id = $1", [others[0]])
  const left = (await everything(it)) + it.log.join("")
  for (const trace of traces) expect(left.toLowerCase()).not.toContain(trace.toLowerCase())
  expect((await it.call("POST", `/v1/deliveries/${resent}/resend`)).status).toBe(409)
})

test("an erasure by site erases that site's deliveries, however its URL is written, and no others", async () => {
  await using it = await startJobs()
  await it.deliveries(2, { body: bodyOf({ email }), days: 3 })
  await it.deliveries(2, { body: bodyOf({ site_url: "https://shop-1.example/" }), days: 2 })
  await it.deliveries(2, { body: bodyOf({ site_url: "https://shop-10.example" }) })
  await it.sql(
    "insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed) values ('c', 's', 's', '', '', '')",
  )
  await it.sql("insert into sync_window (connection_id) values ('c')")
  await it.sql(`insert into snapshot (connection_id, fence, content_sha256, bytes) values ('c', 2, '', 3)`)
  await it.sql(
    `insert into previous_snapshot (connection_id, fence, content_sha256, bytes, stored_at)
     values ('c', 1, '', 14, now())`,
  )
  await it.sql(
    `insert into snapshot_chunk (connection_id, fence, position, data)
     values ('c', 1, 0, 'shop-1.example'), ('c', 2, 0, 'new')`,
  )
  const { id } = await it.begin("erasure", { site_url: "https://SHOP-1.example/", reason: "r" })
  expect((await it.end(id)).counts).toMatchObject({
    deliveries_erased: 4,
    previous_contents_deleted: 1,
  })
  expect(await it.sql("select fence from snapshot_chunk")).toEqual([{ fence: "2" }])
  expect(await everything(it)).not.toContain("shop-1.example")
})

test("an erasure also erases what was being stored when it was requested, and lets others store meanwhile", async () => {
  await using it = await startJobs()
  const pool = openPool({ url: it.databaseUrl, size: 1, name: "storing" })
  const storing = await pool.driver.connect()
  const query = async (text: string, values: unknown[] = []) => (await storing.query(text, values)).rows
  await query("begin")
  // As a dispatcher whose statement has not ended.
  await query("select erasure_version_for_storing()")
  const stored = await insertDeliveries(query as Jobs["sql"], 3, { days: 3, body: bodyOf({ email }) })
  const { id } = await it.begin("erasure", { email, reason: "r" })
  await waitUntil("the erasure to wait", async () => {
    const waiting = await it.sql(
      "select from pg_stat_activity where datname = current_database() and query like '%wait_for_storing%' and wait_event = 'PgSleep'",
    )
    return waiting.length === 1
  })
  await it.sql("select erasure_version_for_storing()")
  await query("commit")
  storing.release()
  await pool.close()
  expect((await it.end(id)).counts).toMatchObject({ scanned: 3, deliveries_erased: 3 })
  expect((await it.sql("select id from delivery where state = 'erased'")).map((row) => row.id)).toEqual(
    stored,
  )
})

test("of thousands of deliveries, an erasure reads the bodies that name the person, and those that may name several", async () => {
  await using it = await startJobs()
  const bodies = [email, `x${email}`].map((address) => bodyOf({ email: address }))
  const others = await it.deliveries(2_000, { body: bodies[1] ?? "", days: 9 })
  await storeDigest(it, others, `x${email}`)
  const theirs = await it.deliveries(700, { body: bodies[0] ?? "", days: 8 })
  await storeDigest(it, theirs, email)
  const reference = await it.deliveries(2, {
    body: bodyOf({ email: `x${email}`, reference: email }),
    days: 7,
  })
  const { id } = await it.begin("erasure", { email, reason: "r" })
  expect((await it.end(id)).counts).toMatchObject({ scanned: 702, deliveries_erased: 702 })
  const erased = await it.sql<{ id: string }>("select id from delivery where state = 'erased' order by id")
  expect(erased.map((row) => row.id)).toEqual([...theirs, ...reference].sort())
})

function later(iso: string, days: number): string {
  return new Date(Date.parse(iso) + days * 86_400_000).toISOString()
}
