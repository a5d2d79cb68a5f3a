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
import { deleteOldStatistics } from "./deleteOldStatistics.ts"
import { dayMs, hourMs, type RollUp, rollUp } from "./rollUp.ts"

const minuteMs = 60_000
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

async function runAll(): Promise<RollUp[]> {
  for (const steps: RollUp[] = []; ; ) {
    const step = await rollUp(pool)
    if (step === "idle" || step === "busy") return steps
    steps.push(step)
  }
}

/** Makes all minutes look as if they were counted long ago, so that they are counted again. */
const age = () => sql("update statistic set counted_at = counted_at - interval '11 minutes'")

const read = (interval = "minute") =>
  sql(
    `select channel_id, started_at, deliveries, attempts, latency, deferred, accepted_triggers, covered_triggers, syncs
       from statistic
      where interval = $1::statistic_interval order by started_at, channel_id`,
    [interval],
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
  expect(await rollUp(pool)).toBe("counted")
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

test("a minute is counted half a minute after its end, and again when late attempts are recorded", async () => {
  const at = now() - 3 * minuteMs
  await countFrom(sql, at)
  const id = await insertDelivery(sql, { at, deferred: "busy", attempts: [{ at }] })
  const steps = await runAll()
  expect(steps.length).toBeGreaterThanOrEqual(2)
  expect(steps.length).toBeLessThanOrEqual(3)
  expect(new Set(steps)).toEqual(new Set(["counted"]))
  await insertAttempt(sql, id, { at: at + 1, error: "reset" })
  await sql("delete from waiting_delivery")
  expect(await runAll()).toEqual([])
  await age()
  expect(await runAll()).toEqual(steps.map(() => "settled"))
  expect((await read())[0]).toMatchObject({ attempts: { delivered: 1, reset: 1 }, deferred: { busy: 1 } })
  expect(await runAll()).toEqual([])
})

test("accepted triggers are counted once, covered or not, also if a count fails, a minute is counted again, or connections are deleted", async () => {
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
  expect(await rollUp(pool)).toBe("counted")
  expect(await read()).toMatchObject([{ accepted_triggers: 107, covered_triggers: 4 }])

  // A console that fails or is killed before its commit has counted nothing.
  await windows({ a: 2 })
  await sql("alter table statistic add constraint fails check (false) not valid")
  await expect(rollUp(pool)).rejects.toThrow("fails")
  await sql("alter table statistic drop constraint fails")
  expect(await rollUp(pool)).toBe("counted")
  expect(await accepted()).toEqual([107, 2])

  // The hundred triggers of the deleted connection are subtracted from both sums.
  await sql("delete from connection where id = 'b'")
  await windows({ a: 3 })
  expect(await rollUp(pool)).toBe("counted")
  expect(await accepted()).toEqual([107, 2, 3])

  await runAll()
  await insertSync(sql, { at: at + 1, connection: "a" })
  await age()
  expect(await runAll()).toContain("settled")
  expect((await accepted()).slice(0, 3)).toEqual([107, 2, 3])
  expect((await read())[0]).toMatchObject({ covered_triggers: 5 })
  await sql("delete from connection")
})

test("hours and days are the sums of their minutes", async () => {
  const day = Math.floor(Date.now() / dayMs) * dayMs - dayMs
  const lastHour = day + 23 * hourMs
  await countFrom(sql, lastHour)
  for (const at of [lastHour, lastHour + 59 * minuteMs]) {
    await insertDelivery(sql, { at, attempts: [{ at }, { at, error: "dns", durationMs: 1 }] })
    await insertSync(sql, { at, triggers: 2 })
  }
  await insertDelivery(sql, { at: day + dayMs, channel: "tomorrow" })
  await sql(
    `insert into statistic select 'minute', '', $1::timestamptz + n * interval '1 minute', 0, '{}', '{}', '{}', 0, 0, '{}',
       now() - interval '1 hour' from generate_series(0, 59) n`,
    [new Date(lastHour)],
  )
  // No minute after that hour is counted in this test.
  await sql("update statistics_position set counted_through = now() + interval '1 hour'")
  expect(await runAll()).toEqual(Array(60).fill("settled"))
  const sums = { deliveries: 2, attempts: { delivered: 2, dns: 2 }, latency: { 0: 2, 14: 2 }, deferred: null }
  for (const [interval, started_at] of [
    ["hour", new Date(lastHour)],
    ["day", new Date(day)],
  ] as const) {
    expect(await read(interval)).toEqual([
      {
        channel_id: "",
        started_at,
        ...sums,
        accepted_triggers: 0,
        covered_triggers: 4,
        syncs: { changed: 2 },
      },
      {
        channel_id: "acme",
        started_at,
        ...sums,
        accepted_triggers: null,
        covered_triggers: null,
        syncs: null,
      },
    ])
  }
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

async function countAll(each: Pool): Promise<RollUp[]> {
  const steps: RollUp[] = []
  for (let busy = 0; busy < 20; ) {
    const step = await rollUp(each)
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
  const counting = rollUp(killed).catch(() => "killed")
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
  expect(await rollUp(pool)).toBe("counted")
  expect(await read()).toMatchObject([{ channel_id: "", started_at: new Date(at) }])
})

test("after a week without a console, older minutes are skipped", async () => {
  await countFrom(sql, now() - 30 * dayMs)
  expect(await rollUp(pool)).toBe("counted")
  const [first] = await sql<{ started_at: Date }>("select started_at from statistic")
  expect(first?.started_at.getTime()).toBeGreaterThan(Date.now() - 7 * dayMs - 2 * minuteMs)
})

test("statistics older than their retention are deleted", async () => {
  for (const [interval, days] of [
    ["minute", 7],
    ["hour", 90],
    ["day", 730],
  ] as const) {
    for (const age of [days - 0.1, days + 0.1])
      await sql(
        "insert into statistic values ($1::statistic_interval, '', $2, 0, '{}', '{}', '{}', 0, 0, '{}')",
        [interval, new Date(Date.now() - age * dayMs)],
      )
  }
  expect(await deleteOldStatistics(sql)).toBe(3)
  expect(await sql("select count(*)::int as n from statistic")).toEqual([{ n: 3 }])
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
