import { openPrisma } from "@sitewire/database/prisma"
import { startTestInstallation, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createApiKey } from "../src/auth/apiKey.ts"
import { insertDeliveries } from "./fixtures/deliveries.ts"
import { beginJob, commitAll, invalidRecord, readJob } from "./fixtures/jobs.ts"

const connection = { site: "shop.example", source: "https://source.example/" }
const lostCount = 5_500
const invalidCount = 700

test("a console that is killed leaves nothing of a write in progress, and its jobs continue exactly", async () => {
  await using it = await startTestInstallation()
  const { sql } = it
  const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "test", scopes: ["operate"] })
  const callTo =
    (origin = "") =>
    async (
      method: string,
      path: string,
      { body, headers = {} }: { body?: object; headers?: object } = {},
    ) => {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const text = await response.text()
      return { status: response.status, text, json: JSON.parse(text) as object }
    }
  const ids = await insertDeliveries(sql, 300)
  await it.publish(
    Array.from({ length: lostCount }, (_, n) => ({
      topic: it.names.sitePaid,
      key: `e${n}`,
      value: "no JSON",
    })),
  )
  await commitAll(it, "paid")
  await it.publish(
    Array.from({ length: invalidCount }, (_, n) =>
      invalidRecord(it, { key: `event-${n}`, value: Buffer.from("{}"), reason: "unknown channel" }),
    ),
  )

  const killed = await it.start("console")
  const call = callTo(killed.addresses.console)
  const begin = beginJob(call)
  const created_after = new Date(Date.now() - 3_600_000).toISOString()
  const reconciliation = await begin("reconcile", { created_after })
  // The locks of this transaction stop each job at a certain place.
  const locking = await it.pool.driver.connect()
  await waitUntil("a part of the reconciliation", async () => {
    await locking.query("begin")
    const part = "select from job where (counts ->> 'events')::int > 0 and state = 'running' for update"
    if ((await locking.query(part)).rowCount === 1) return true
    await locking.query("rollback")
    return false
  })
  // Of its first 500 events at 25 per second, the replay rests for 20 seconds.
  const replay = await begin("replay", { filter: { reason: "unknown" }, reason: "r", per_second: 25 })
  await waitUntil(
    "a part of the replay",
    async () => (await readJob(call)(replay.id)).counts.replayed === 500,
  )
  // A step of the resend defers five deliveries. The fifth step waits for this one, its third.
  await locking.query("select from delivery where id = $1 for update", [ids[22]])
  const resend = await begin("resend", { filter: { channel: "acme" }, reason: "r", per_second: 20 })
  await waitUntil("the resend to wait within a step", () => isBlocked("select id from delivery%for update"))
  // The request inserts the connection and its window, and then waits with its audit entry.
  await locking.query("lock table audit_entry in access exclusive mode")
  const once = { body: connection, headers: { "idempotency-key": "once" } }
  const lost = call("POST", "/v1/connections", once).catch(() => "no response")
  await waitUntil("the write to wait", () => isBlocked("%audit_entry%"))
  await killed.end("SIGKILL")
  expect(await lost).toBe("no response")
  const before = await readDeferred()
  expect(before.map(({ id }) => id)).toEqual(ids.slice(0, 20))
  expect(await sql("select counts from job where kind = 'resend'")).toMatchObject([
    { counts: { resent: 20 } },
  ])
  expect(await sql("select from job where state = 'running'")).toHaveLength(3)
  await locking.query("commit")
  locking.release()
  // Raises the rates instead of waiting.
  await sql(
    `update job set position = position::jsonb - 'nextStepAt' || '{"perSecond": 1000}' where kind <> 'reconcile'`,
  )

  const other = callTo((await it.start("console")).addresses.console)
  const repeated = await other("POST", "/v1/connections", once)
  expect(repeated.status).toBe(201)
  // Its response contained a secret.
  expect(await other("POST", "/v1/connections", once)).toMatchObject({ status: 409 })
  const end = (id: string) =>
    waitUntil("the job to end", async () => {
      const job = await readJob(other)(id)
      return job.state === "running" ? undefined : job
    })
  expect(await end(resend.id)).toMatchObject({ state: "done", counts: { resent: ids.length } })
  const deferred = await readDeferred()
  expect(deferred.map(({ id }) => id)).toEqual(ids)
  expect(deferred.slice(0, before.length)).toEqual(before)

  expect(await end(replay.id)).toMatchObject({ state: "done", counts: { replayed: invalidCount } })
  const replayed = (await it.readTopic(it.names.sitePaid)).flatMap(({ key }) =>
    key?.startsWith("event-") ? [key] : [],
  )
  expect(replayed.toSorted()).toEqual(Array.from({ length: invalidCount }, (_, n) => `event-${n}`).toSorted())

  const reconciled = await end(reconciliation.id)
  const counts = { events: lostCount, events_invalid: 0, triggers: 0, exceptions: lostCount }
  expect(reconciled.counts).toEqual(counts)
  const listed = reconciled.exceptions?.map(({ partition, offset }) => `${partition} ${offset}`)
  expect(listed).toHaveLength(200)
  expect(new Set(listed).size).toBe(200)
  const [written] = await sql(
    `select (select count(*)::int from connection) as connections, (select count(*)::int from sync_window) as windows,
            (select count(*)::int from audit_entry where operation = 'createConnection' and changes ? 'site') as entries`,
  )
  expect(written).toEqual({ connections: 1, windows: 1, entries: 1 })

  async function isBlocked(query: string): Promise<boolean> {
    const waiting = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and ltrim(query, E'\\n') ilike $1`
    return (await sql(waiting, [query])).length > 0
  }

  function readDeferred() {
    return sql<{ id: string }>("select delivery_id as id, * from waiting_delivery order by id")
  }
})
