import { openPool, type Pool } from "@sitewire/database"
import { freshDatabase, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import {
  countFrom,
  deliveryIdAt,
  insertAttempt,
  insertDelivery,
  insertSync,
} from "../../test/fixtures/statistics.ts"
import { deleteOldRecords } from "../retention/deleteOldRecords.ts"
import { dayMs, hourMs, minuteMs } from "./countMinute.ts"
import { type Counted, countNextMinute } from "./countNextMinute.ts"

let database: Awaited<ReturnType<typeof freshDatabase>>
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 3, name: "test" })
})
afterAll(async () => {
  await pool.close()
  await database.drop()
})
beforeEach(() => pool.sql("truncate delivery, waiting_delivery, attempt, sync_run, statistic"))

const sql: Pool["sql"] = (...query) => pool.sql(...query)
const now = () => Math.floor(Date.now() / minuteMs) * minuteMs

async function runAll(): Promise<Counted[]> {
  for (const steps: Counted[] = []; ; ) {
    const step = await countNextMinute(pool)
    if (step === "idle" || step === "busy") return steps
    steps.push(step)
  }
}

const read = () =>
  sql(
    `select channel_id, started_at, deliveries, attempts, latency, deferred, accepted_triggers, covered_triggers, syncs
       from statistic order by started_at, channel_id`,
  )

test("a minute is counted exactly, for each channel and in total", async () => {
  const at = now() - 5 * minuteMs
  await countFrom(sql, at)
  await insertDelivery(sql, {
    at: at - 1,
    attempts: [{ at: at - 1 }, { at, error: "timeout", durationMs: 10_000 }],
  })
  await insertDelivery(sql, { at, attempts: [{ at: at + 59_999, durationMs: 9 }] })
  await insertDelivery(sql, { at: at + 59_999, channel: "other", attempts: [{ at: at + 60_000 }] })
  await insertDelivery(sql, { at: at - hourMs, channel: "waits", deferred: "paused" })
  await insertSync(sql, { at, triggers: 3 })
  await insertSync(sql, { at, outcome: "failed", triggers: 5 })
  await insertSync(sql, { at: at + 60_000 })
  expect(await countNextMinute(pool)).toBe("counted")
  const startedAt = new Date(at)
  const nothing = {
    started_at: startedAt,
    deliveries: 0,
    attempts: {},
    latency: {},
    deferred: {},
    accepted_triggers: null,
    covered_triggers: null,
    syncs: null,
  }
  expect(await read()).toEqual([
    {
      channel_id: "",
      started_at: startedAt,
      deliveries: 2,
      attempts: { delivered: 1, timeout: 1 },
      // 2^(13/4) is 9.5 ms, 2^(54/4) is 11,585 ms.
      latency: { 13: 1, 54: 1 },
      deferred: { paused: 1 },
      accepted_triggers: 0,
      covered_triggers: 3,
      syncs: { changed: 1, failed: 1 },
    },
    {
      ...nothing,
      channel_id: "acme",
      deliveries: 1,
      attempts: { delivered: 1, timeout: 1 },
      latency: { 13: 1, 54: 1 },
    },
    { ...nothing, channel_id: "other", deliveries: 1 },
    { ...nothing, channel_id: "waits", deferred: { paused: 1 } },
  ])
})

test("a minute is counted a minute after its end, and once", async () => {
  const at = now() - 3 * minuteMs
  await countFrom(sql, at)
  const id = await insertDelivery(sql, { at, deferred: "busy", attempts: [{ at }] })
  const steps = await runAll()
  expect(steps.length).toBeGreaterThanOrEqual(2)
  expect(steps.length).toBeLessThanOrEqual(3)
  await insertAttempt(sql, id, { at: at + 1, error: "reset" })
  expect((await runAll()).length).toBeLessThanOrEqual(1)
  expect((await read())[0]).toMatchObject({ attempts: { delivered: 1 }, deferred: { busy: 1 } })
})

test("accepted triggers are counted once, covered or not, also if a count fails, or connections are deleted", async () => {
  const at = now() - 5 * minuteMs
  await countFrom(sql, at)
  const windows = (requested: Record<string, number>) =>
    sql(
      `insert into sync_window as w (connection_id, requested) select id, n::bigint from jsonb_each_text($1) as t (id, n)
       on conflict (connection_id) do update set requested = w.requested + excluded.requested`,
      [requested],
    )
  for (const id of ["a", "b"])
    await sql(
      `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
       values ($1, 'shop.example', 'https://partner.example/data', sha256($1::text::bytea), '', '')`,
      [id],
    )
  const accepted = async () =>
    (await read()).flatMap((row) => (row.channel_id === "" ? [row.accepted_triggers] : []))
  await windows({ a: 7, b: 100 })
  await insertSync(sql, { at, connection: "a", triggers: 4 })
  expect(await countNextMinute(pool)).toBe("counted")
  expect(await read()).toMatchObject([{ accepted_triggers: 107, covered_triggers: 4 }])

  // A console that fails or is killed before its commit has counted nothing.
  await windows({ a: 2 })
  await sql("alter table statistic add constraint fails check (false) not valid")
  await expect(countNextMinute(pool)).rejects.toThrow("fails")
  await sql("alter table statistic drop constraint fails")
  expect(await countNextMinute(pool)).toBe("counted")
  expect(await accepted()).toEqual([107, 2])

  // The hundred triggers of the deleted connection are subtracted from both sums.
  await sql("delete from connection where id = 'b'")
  await windows({ a: 3 })
  expect(await countNextMinute(pool)).toBe("counted")
  expect(await accepted()).toEqual([107, 2, 3])
  await sql("delete from connection")
})

test("several consoles at once count each minute once", async () => {
  const at = now() - 20 * minuteMs
  await countFrom(sql, at)
  await insertDelivery(sql, { at, attempts: [{ at }] })
  const others = [1, 2].map(() => openPool({ url: database.url, size: 1, name: "test" }))
  const steps = await Promise.all([...others, pool].map((each) => countAll(each)))
  expect(steps.flat().length).toBe((await read()).filter(({ channel_id }) => channel_id === "").length)
  expect(await read()).toMatchObject([
    { deliveries: 1 },
    { deliveries: 1 },
    ...Array(steps.flat().length - 1).fill({}),
  ])
  for (const each of others) await each.close()
})

async function countAll(each: Pool): Promise<Counted[]> {
  const steps: Counted[] = []
  for (let busy = 0; busy < 20; ) {
    const step = await countNextMinute(each)
    if (step === "counted") steps.push(step)
    else busy += 1
  }
  return steps
}

test("a kill before the commit leaves neither result nor position, and the minute is counted afterwards", async () => {
  const at = now() - 2 * minuteMs
  await countFrom(sql, at)
  const killed = openPool({ url: database.url, size: 1, name: "killed" })
  const [backend] = await killed.sql<{ pid: number }>("select pg_backend_pid() as pid")
  const blocker = await pool.driver.connect()
  await blocker.query("begin; lock table statistic in access exclusive mode")
  const counting = countNextMinute(killed).catch(() => "killed")
  for (let waits = false; !waits; ) {
    const [row] = await sql<{ waits: boolean }>(
      "select exists (select from pg_locks where pid = $1 and not granted) as waits",
      [backend?.pid],
    )
    waits = row?.waits ?? false
  }
  await sql("select pg_terminate_backend($1)", [backend?.pid])
  expect(await counting).toBe("killed")
  await blocker.query("commit")
  blocker.release()
  await killed.close()
  // The backend reports its end before it releases its locks.
  await waitUntil("the backend's end", async () => {
    return (await sql("select from pg_stat_activity where pid = $1", [backend?.pid])).length === 0
  })
  expect(await read()).toEqual([])
  expect(await countNextMinute(pool)).toBe("counted")
  expect(await read()).toMatchObject([{ channel_id: "", started_at: new Date(at) }])
})

test("after a week without a console, older minutes are skipped", async () => {
  await countFrom(sql, now() - 30 * dayMs)
  expect(await countNextMinute(pool)).toBe("counted")
  const [first] = await sql<{ started_at: Date }>("select started_at from statistic")
  expect(first?.started_at.getTime()).toBeGreaterThan(Date.now() - 7 * dayMs - 2 * minuteMs)
})

test("minutes older than 7 days are deleted", async () => {
  for (const age of [6.9, 7.1])
    await sql("insert into statistic values ('', $1, 0, '{}', '{}', '{}', 0, 0, '{}')", [
      new Date(Date.now() - age * dayMs),
    ])
  expect(await deleteOldRecords(sql, dayMs)).toBe(1)
  expect(await sql("select count(*)::int as n from statistic")).toEqual([{ n: 1 }])
})

test("a minute's attempts and syncs are found by the indexes of their start", async () => {
  await sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id)
     select $1::uuid, n, now() - n * interval '1 second', 1, 'sec' from generate_series(1, 50000) n`,
    [deliveryIdAt(0)],
  )
  await sql("analyze attempt")
  for (const table of ["attempt", "sync_run"]) {
    const plan = await sql(
      `explain select from ${table} where started_at >= now() - interval '2 minutes' and started_at < now() - interval '1 minute'`,
    )
    expect(JSON.stringify(plan)).toMatch(new RegExp(`${table}\\w*_started_at_idx`))
  }
})
