import { once } from "node:events"
import { batchWrites, type Sql } from "@sitewire/database"
import { createEgress } from "@sitewire/egress"
import { createLogger, createMetrics, noTracing } from "@sitewire/runtime"
import { type Clocks, type Completion, claimDueSyncs, finishRuns, recordTriggers } from "@sitewire/syncs"
import {
  addConnections,
  emptyDatabase,
  letTimePass,
  minute,
  readRuns,
  readWindow,
  sealingKeys,
  trigger,
} from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import { createSchedulerMetrics } from "../metrics.ts"
import { createPullRunner } from "../run/pullRunner.ts"
import { createOpenCredentials, type RunnerResult } from "../run/runner.ts"
import { createHostLimiter } from "./hostLimiter.ts"
import { type RunDueSyncsOptions, runDueSyncs } from "./runDueSyncs.ts"

const openCredentials = createOpenCredentials(sealingKeys)

const done: RunnerResult = { result: { outcome: "unchanged", content: null }, storingMs: 0 }

const { deadlineMs } = minute
/** Longer than a busy machine delays a start. */
const startGraceMs = 60_000

type Bounds = { maxRunning?: number; maxPerHost?: number; deadlineMs?: number }

function start(
  sql: Sql,
  pull: RunDueSyncsOptions["runners"]["pull"],
  { maxRunning = 64, maxPerHost = 4, ...more }: Partial<RunDueSyncsOptions> & Bounds = {},
) {
  const stopping = new AbortController()
  const log = createLogger({ service: "test", level: "silent" })
  const ends = batchWrites({
    what: "finish runs",
    owner: "connection",
    idOf: ({ connection }) => connection,
    bounds: { lingerMs: 2, maxBatch: 500, maxRunning: 2 },
    write: (batch: Completion[]) => finishRuns(sql, minute, batch),
    retry: (_what, work) => work(),
    expiring: stopping.signal,
    log,
  })
  const syncs = runDueSyncs({
    claim: (input) => claimDueSyncs(sql, minute, input),
    finish: ends.write,
    lockedEnds: ends.locked,
    runners: { pull, delegate: pull },
    hosts: createHostLimiter({
      maxRunning,
      maxPerHost,
      deadlineMs: more.deadlineMs ?? deadlineMs,
      windowMs: minute.windowMs,
    }),
    onClaims: () => {},
    startGraceMs,
    stopping: stopping.signal,
    tracing: noTracing,
    metrics: createSchedulerMetrics(createMetrics("test")),
    log,
    ...more,
  })
  onTestFinished(async () => {
    stopping.abort()
    await syncs.close(5_000)
  })
  return syncs
}

const waitForAll = (sql: Sql) =>
  waitUntil("all triggers to be covered", async () => {
    const rows = await sql("select 1 from sync_window where covered < requested")
    return rows.length === 0
  })

test("connections that are due at once are all synced, within the limits in total and per host", async () => {
  const { sql } = await emptyDatabase()
  const ids = Array.from({ length: 600 }, (_, index) => `c${index}`)
  // Most are on one host, and are due before the others.
  const hostOf = (id: string) => (Number(id.slice(1)) < 400 ? "big" : `small${Number(id.slice(1)) % 5}`)
  await addConnections(sql, ids, (id) => `https://${hostOf(id)}.example/${id}`)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 3_000)
  const inFlight = new Map<string, number>()
  let total = 0
  let most = 0
  let mostPerHost = 0
  const bounds = { maxRunning: 12, maxPerHost: 5 }
  start(
    sql,
    async ({ host }) => {
      const ofHost = (inFlight.get(host) ?? 0) + 1
      inFlight.set(host, ofHost)
      total += 1
      most = Math.max(most, total)
      mostPerHost = Math.max(mostPerHost, ofHost)
      await new Promise((resolve) => setTimeout(resolve, 2))
      inFlight.set(host, (inFlight.get(host) ?? 0) - 1)
      total -= 1
      return done
    },
    bounds,
  )
  await waitForAll(sql)
  expect({ maxRunning: most, maxPerHost: mostPerHost }).toEqual(bounds)
})

test("an idle scheduler starts a sync when it is due, not at its next poll", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  const { promise: started, resolve } = Promise.withResolvers<number>()
  const longestSleepMs = 600_000
  const run = async () => {
    resolve(performance.now())
    return done
  }
  const syncs = start(sql, run, { longestSleepMs })
  const raisedAt = performance.now()
  const { dueInMs } = await recordTriggers(sql, { ...minute, settleMs: 150 }, [trigger("a")])
  syncs.dueIn(dueInMs ?? 0)
  const tookMs = (await started) - raisedAt
  expect(tookMs).toBeGreaterThanOrEqual(150)
  expect(tookMs).toBeLessThan(longestSleepMs / 2)
})

/** A runner of which each lookup of a name takes `lookupMs`. */
function createPull(lookupMs = 0) {
  const egress = createEgress({
    allow: ["127.0.0.0/8"],
    allowHttp: true,
    userAgent: "Sitewire/1",
    connectionsPerOrigin: 4,
    lookup: async () => {
      await new Promise((resolve) => setTimeout(resolve, lookupMs))
      return ["127.0.0.1"]
    },
  })
  onTestFinished(() => egress.close())
  return createPullRunner({
    egress,
    openCredentials,
    storeChunk: async () => "stored",
    deadlineMs: 10_000,
    maxBytes: 1_000,
    serviceName: "Sitewire",
  })
}

test("a run whose connection is not ready within the grace fails, sends nothing, and is due in the next window", async () => {
  const { sql } = await emptyDatabase()
  const source = await startSource()
  await addConnections(sql, ["a"], () => source.url("/a").replace("127.0.0.1", "slow.test"))
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 3_000)
  start(sql, createPull(30_000), { startGraceMs: 1_000 })
  // On a busy machine, runs that were claimed late were abandoned before.
  const ended = async () => (await readRuns(sql, "a")).find(({ outcome }) => outcome === "failed")
  expect(await waitUntil("the run to end", ended)).toMatchObject({ error: "late-start" })
  expect(source.seen("/a")).toEqual([])
  expect(await readWindow(sql, "a")).toMatchObject({ covered: "0", last_error: "late-start", due: 60 })
})

test("a run whose reused network connection closes after the grace fails as reset, and its request is not repeated", async () => {
  const { sql } = await emptyDatabase()
  const { clocks, forward } = clocksWithout("wall")
  const source = await startSource((response, _seen, count) => {
    if (count === 1) return void response.end("data")
    forward(startGraceMs + 1)
    response.socket?.destroy()
  })
  await addConnections(sql, ["a"], () => source.url("/a"))
  const syncs = start(sql, createPull(), { claim: (input) => claimDueSyncs(sql, minute, input, clocks) })
  for (const outcome of ["changed", "failed"]) {
    await letTimePass(sql, 70_000)
    await recordTriggers(sql, { settleMs: 0 }, [trigger("a")])
    syncs.dueIn(0)
    await waitUntil("the run to end", async () => (await readRuns(sql, "a")).at(-1)?.outcome === outcome)
  }
  expect(await readRuns(sql, "a")).toMatchObject([{ error: null }, { error: "reset" }])
  expect(source.seen("/a")).toHaveLength(2)
})

test("a run that is ready to send only after the grace, because the process was paused, may not send", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a"])
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 3_000)
  const asked = Promise.withResolvers<boolean>()
  start(
    sql,
    async (_run, mayStart, signal) => {
      await once(signal, "abort")
      asked.resolve(mayStart())
      return done
    },
    { startGraceMs: 200 },
  )
  expect(await asked.promise).toBe(false)
  // On a busy machine, runs that were claimed late were abandoned before.
  const ended = async () => (await readRuns(sql, "a")).find(({ outcome }) => outcome === "failed")
  expect(await waitUntil("the run to end", ended)).toMatchObject({ error: "late-start" })
})

test("sources that hung before leave half of the permits to all others", async () => {
  const { sql } = await emptyDatabase()
  const hanging = Array.from({ length: 12 }, (_, index) => `hanging${index}`)
  await addConnections(sql, [...hanging, "well"], (id) => `https://${id}.example/`)
  await recordTriggers(
    sql,
    minute,
    hanging.map((id) => trigger(id)),
  )
  await sql("update sync_window set slow = true")
  await letTimePass(sql, 3_000)
  const inFlight = new Set<string>()
  let most = 0
  const syncs = start(
    sql,
    async ({ connection }, _mayStart, signal) => {
      if (connection === "well") return done
      inFlight.add(connection)
      most = Math.max(most, inFlight.size)
      await once(signal, "abort")
      return done
    },
    { maxRunning: 8 },
  )
  await waitUntil("half of the permits to be in use", () => inFlight.size === 4)
  const { dueInMs } = await recordTriggers(sql, { ...minute, settleMs: 0 }, [trigger("well")])
  syncs.dueIn(dueInMs ?? 0)
  await waitUntil(
    "the sync of the other connection",
    async () => (await readWindow(sql, "well")).covered === "1",
  )
  expect(most).toBe(4)
})

test("a source that responds just before the deadline counts as slow, like one that times out", async () => {
  const { sql } = await emptyDatabase()
  const slow = Array.from({ length: 12 }, (_, index) => `slow${index}`)
  await addConnections(sql, [...slow, "well"], (id) => `https://${id}.example/`)
  await recordTriggers(
    sql,
    minute,
    slow.map((id) => trigger(id)),
  )
  await letTimePass(sql, 3_000)
  const inFlight = new Set<string>()
  let most = 0
  // A deadline of 500 ms, in proportion. The first ones wait until none is known as slow and all permits are in use.
  const allInUse = Promise.withResolvers<void>()
  let respond = async () => {
    if (most === 8) allInUse.resolve()
    await allInUse.promise
    await new Promise<void>((resolve) => setTimeout(resolve, 490))
  }
  const syncs = start(
    sql,
    async ({ connection }) => {
      if (connection === "well") return done
      inFlight.add(connection)
      most = Math.max(most, inFlight.size)
      await respond()
      inFlight.delete(connection)
      return done
    },
    { maxRunning: 8, deadlineMs: 500 },
  )
  await waitForAll(sql)
  // They were not known as slow yet.
  expect(most).toBe(8)
  most = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  respond = () => promise
  await letTimePass(sql, 120_000)
  await recordTriggers(
    sql,
    { ...minute, settleMs: 0 },
    slow.map((id) => trigger(id)),
  )
  syncs.dueIn(0)
  await waitUntil("half of the permits to be in use", () => inFlight.size === 4)
  const { dueInMs } = await recordTriggers(sql, { ...minute, settleMs: 0 }, [trigger("well")])
  syncs.dueIn(dueInMs ?? 0)
  await waitUntil(
    "the sync of the other connection",
    async () => (await readWindow(sql, "well")).covered === "1",
  )
  expect(inFlight.size).toBe(4)
  resolve()
  await waitForAll(sql)
  expect(most).toBe(4)
})

test("a source does not count as slow for the time that our own Postgres needed to store its content", async () => {
  const { sql } = await emptyDatabase()
  const ids = ["stored-slowly", "responded-slowly"]
  await addConnections(sql, ids, (id) => `https://${id}.example/`)
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 3_000)
  start(
    sql,
    async ({ connection }) => {
      const startedAt = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const storingMs = connection === "stored-slowly" ? performance.now() - startedAt : 0
      return { ...done, storingMs }
    },
    // A sync of a second is slow.
    { deadlineMs: 5_000 },
  )
  await waitForAll(sql)
  expect(await sql("select connection_id, slow from sync_window order by 1")).toEqual([
    { connection_id: "responded-slowly", slow: true },
    { connection_id: "stored-slowly", slow: false },
  ])
})

test("connections of an unreachable host stay due, and are synced after a probe has succeeded", async () => {
  const { sql } = await emptyDatabase()
  const ids = Array.from({ length: 60 }, (_, index) => `c${index}`)
  await addConnections(sql, ids, () => "https://down.example/")
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 3_000)
  let isDown = true
  let failures = 0
  const breakers: string[] = []
  start(
    sql,
    async () => {
      if (!isDown) return done
      failures += 1
      return {
        result: { outcome: "failed", error: "connect", detail: "refused" },
        storingMs: 0,
      }
    },
    {
      hosts: createHostLimiter({
        maxRunning: 64,
        maxPerHost: 32,
        deadlineMs,
        windowMs: 2_000,
        onBreaker: (host, state) => breakers.push(`${host} ${state}`),
      }),
    },
  )
  await waitUntil("the circuit breaker to open", () => breakers.length > 0)
  isDown = false
  await waitUntil("all connections that had not failed to be synced", async () => {
    const rows = await sql("select from sync_window where covered < requested and failures = 0")
    return rows.length === 0
  })
  expect(breakers).toEqual(["down.example open", "down.example closed"])
  // The syncs in flight when the eighth failed, and one or two probes.
  expect(failures).toBeLessThan(16)
  expect(await sql("select from sync_window where failures > 0")).toHaveLength(failures)
})

test("error statuses of some connections do not stop the syncs of the host's other connections", async () => {
  const { sql } = await emptyDatabase()
  const ids = Array.from({ length: 40 }, (_, index) => `c${index}`)
  await addConnections(sql, ids, () => "https://shared.example/")
  await recordTriggers(
    sql,
    minute,
    ids.map((id) => trigger(id)),
  )
  await letTimePass(sql, 3_000)
  let open = 0
  start(
    sql,
    async ({ connection }) =>
      connection === "c39"
        ? done
        : { result: { outcome: "failed", error: "status", detail: "404" }, storingMs: 0 },
    {
      hosts: createHostLimiter({
        maxRunning: 64,
        maxPerHost: 4,
        deadlineMs,
        windowMs: 60_000,
        onBreaker: () => (open += 1),
      }),
    },
  )
  await waitUntil("the connection that succeeds", async () => (await readWindow(sql, "c39")).covered === "1")
  expect(open).toBe(0)
})

/** Clocks of which one does not advance, like the monotonic one while the machine is suspended. */
function clocksWithout(stopped: keyof Clocks) {
  let aheadMs = 0
  const clocks: Clocks = { monotonic: () => aheadMs, wall: () => aheadMs, [stopped]: () => 0 }
  return { clocks, forward: (ms: number) => (aheadMs += ms) }
}

test.each(["monotonic", "wall"] as const)(
  "a start that is later than the grace is abandoned and granted again, even if the %s clock did not advance",
  async (stopped) => {
    const { sql } = await emptyDatabase()
    await addConnections(sql, ["a"])
    await recordTriggers(sql, minute, [trigger("a")])
    await letTimePass(sql, 3_000)
    const { clocks, forward } = clocksWithout(stopped)
    const fences: number[] = []
    start(
      sql,
      async ({ fence }, mayStart) => {
        mayStart()
        fences.push(fence)
        return done
      },
      {
        claim: async (input) => {
          const claim = await claimDueSyncs(sql, minute, input, clocks)
          if (claim.runs[0]?.fence === 1) forward(startGraceMs + 1)
          return claim
        },
      },
    )
    await waitForAll(sql)
    expect(fences).toEqual([2])
    expect(await readRuns(sql, "a")).toMatchObject([
      { outcome: "abandoned", error: "late-start", triggers: 1 },
      { outcome: "unchanged", triggers: 1 },
    ])
  },
)

test.each(["monotonic", "wall"] as const)(
  "no request is sent late, even if the %s clock did not advance",
  async (stopped) => {
    const { sql } = await emptyDatabase()
    await addConnections(sql, ["a"])
    await recordTriggers(sql, minute, [trigger("a")])
    await letTimePass(sql, 3_000)
    const { clocks, forward } = clocksWithout(stopped)
    const asked: boolean[] = []
    start(
      sql,
      async (_run, mayStart) => {
        // The clock advances while the run is connecting.
        forward(startGraceMs + 1)
        asked.push(mayStart())
        return done
      },
      { claim: (input) => claimDueSyncs(sql, minute, input, clocks) },
    )
    await waitUntil("the run to end", async () => (await readRuns(sql, "a"))[0]?.outcome === "failed")
    expect(asked).toEqual([false])
    expect(await readRuns(sql, "a")).toMatchObject([{ error: "late-start" }])
  },
)

test.each([
  {
    when: "the connection was not ready at once",
    connectingMs: 400,
    suspendedMs: 0,
    untilReadMs: 0,
    ends: 60.4,
  },
  {
    when: "the process was suspended before the write",
    connectingMs: 0,
    suspendedMs: 20_000,
    untilReadMs: 0,
    ends: 80,
  },
  { when: "the source read the request late", connectingMs: 0, suspendedMs: 0, untilReadMs: 3_000, ends: 63 },
  {
    when: "the source takes long to respond",
    connectingMs: 0,
    suspendedMs: 0,
    untilReadMs: 30_000,
    ends: 65,
  },
])("the minute between two requests begins when the source has the first one, if $when", async (late) => {
  const { sql } = await emptyDatabase()
  const { clocks, forward } = clocksWithout("monotonic")
  const source = await startSource((response) => {
    forward(late.untilReadMs)
    response.end("data")
  })
  await addConnections(sql, ["a"], () => source.url("/a"))
  await recordTriggers(sql, minute, [trigger("a")])
  await letTimePass(sql, 3_000)
  const pull = createPull()
  const pullLate: typeof pull = (run, mayStart, signal) =>
    pull(
      run,
      () => {
        forward(late.connectingMs)
        const may = mayStart()
        forward(late.suspendedMs)
        return may
      },
      signal,
    )
  start(sql, pullLate, { claim: (input) => claimDueSyncs(sql, minute, input, clocks) })
  await waitForAll(sql)
  expect(await readWindow(sql, "a")).toMatchObject({ window_ends_at: late.ends })
})

test("a sync with an internal error counts as failed and releases its permit", async () => {
  const { sql } = await emptyDatabase()
  await addConnections(sql, ["a", "b"], () => "https://one.example/")
  await recordTriggers(sql, minute, [trigger("a"), trigger("b")])
  await letTimePass(sql, 3_000)
  const pull = () => Promise.reject(new Error("an internal error"))
  start(sql, pull, { maxPerHost: 1 })
  await waitUntil(
    "both to fail",
    async () => (await sql("select 1 from sync_window where failures = 1")).length === 2,
  )
  expect(await readWindow(sql, "b")).toMatchObject({ last_error: "internal", running: false, due: 60 })
})
