import { addConnections, readRuns, readWindow } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startStack } from "./fixtures/scheduler.ts"
import { gaps, startSource } from "./fixtures/source.ts"

const windowMs = 3_000

test("a burst becomes one sync, and later triggers in its window exactly one more, a window apart", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a?key=secret-key"))
  const schedulers = await Promise.all([stack.startScheduler(), stack.startScheduler()])
  const triggeredAt = performance.now()
  await stack.trigger("a", 50)
  const seen = () => source.seen("/a?key=secret-key")
  await waitUntil("the first sync", () => seen().length === 1)
  expect((seen()[0]?.at ?? 0) - triggeredAt).toBeGreaterThan(200)
  await waitUntil("its end", async () => (await readWindow(stack.sql, "a")).covered === "50")
  await stack.trigger("a", 30)
  await waitUntil(
    "all triggers to be covered",
    async () => (await readWindow(stack.sql, "a")).covered === "80",
  )
  expect(await readWindow(stack.sql, "a")).toMatchObject({ due: null, running: false })
  expect(seen()).toHaveLength(2)
  expect(gaps(seen())[0]).toBeGreaterThanOrEqual(windowMs)
  expect(await readRuns(stack.sql, "a")).toMatchObject([
    { outcome: "changed", triggers: 50 },
    { outcome: "unchanged", triggers: 30 },
  ])

  const readLog = () => schedulers.flatMap((scheduler) => scheduler.log())
  const withMessage = (message: string) => readLog().filter(({ msg }) => msg === message)
  // A line follows its row in Postgres.
  await waitUntil("both log lines", () => withMessage("sync finished").length === 2)
  const lines = readLog()
  const started = withMessage("sync started")
  const finished = withMessage("sync finished")
  expect(started).toMatchObject(Array(2).fill({ connection: "a", correlation: "c-a" }))
  expect(finished.map(({ outcome, fence }) => [fence, outcome]).sort()).toEqual([
    [1, "changed"],
    [2, "unchanged"],
  ])
  expect(JSON.stringify(lines)).not.toContain("secret-key")
  const metrics = (await Promise.all(schedulers.map((scheduler) => scheduler.metrics()))).join("\n")
  expect(metrics).toMatch(/sitewire_trigger_to_synced_seconds_count\{.*kind="window".*\} [12]/)
  expect(metrics).toMatch(/sitewire_syncs_due\{.*\} 0/)
  expect(metrics).toMatch(/sitewire_syncs_total\{.*outcome="changed".*\} 1/)
})

test("a trigger during a sync is covered by a sync in the next window", async () => {
  const stack = await startStack()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const source = await startSource(async (response, _, count) => {
    if (count === 1) await released
    response.end(`content ${count}`)
  })
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const scheduler = await stack.startScheduler()
  await stack.trigger("a")
  await waitUntil("the first sync to begin", () => source.seen("/a").length === 1)
  await stack.trigger("a")
  await waitUntil("the second", async () => (await readWindow(stack.sql, "a")).requested === "2")
  release()
  await waitUntil("both to be covered", async () => (await readWindow(stack.sql, "a")).covered === "2")
  expect(source.seen("/a")).toHaveLength(2)
  // By Postgres's clock: on a busy machine, the first request may arrive late.
  const [apart] = await stack.sql<{ ms: number }>(
    "select extract(epoch from max(started_at) - min(started_at))::float8 * 1000 as ms from sync_run",
  )
  expect(apart?.ms).toBeGreaterThanOrEqual(windowMs)
  const counted = /sitewire_trigger_to_synced_seconds_count\{.*kind="during_run".*\} 1/
  await waitUntil("its time to be counted", async () => counted.test(await scheduler.metrics()))
})

test("a source that fails is retried in later windows, and a new trigger shortens the wait", async () => {
  const stack = await startStack({ SYNC_WINDOW: "1s" })
  let healthy = false
  const source = await startSource((response) => response.writeHead(healthy ? 200 : 503).end())
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const scheduler = await stack.startScheduler()
  await stack.trigger("a")
  await waitUntil("the third failure", async () => (await readWindow(stack.sql, "a")).failures === 3)
  const [first = 0, second = 0] = gaps(source.seen("/a"))
  expect(first).toBeGreaterThanOrEqual(1_000)
  expect(second).toBeGreaterThanOrEqual(2_000)
  expect(await readWindow(stack.sql, "a")).toMatchObject({ last_error: "status", covered: "0" })
  healthy = true
  await stack.sql("update sync_window set due_at = due_at + interval '1 hour'")
  await stack.trigger("a")
  await waitUntil("the sync", async () => (await readWindow(stack.sql, "a")).covered === "2")
  const [, , third = 0] = gaps(source.seen("/a"))
  expect(third).toBeGreaterThanOrEqual(1_000)
  expect(await readWindow(stack.sql, "a")).toMatchObject({ failures: 0, last_error: null, due: null })
  const metrics = await scheduler.metrics()
  expect(metrics).toMatch(/sitewire_trigger_to_synced_seconds_count\{.*kind="after_failure".*\} 1/)
  expect(metrics).not.toMatch(/sitewire_trigger_to_synced_seconds_count\{.*kind="window".*\} [1-9]/)
})

test("a source is not called in ALLOWED_RANGES, which are for addresses that operators set", async () => {
  const stack = await startStack({ ALLOWED_RANGES: "127.0.0.0/8", PARTNER_ALLOWED_RANGES: "" })
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  await stack.startScheduler()
  await stack.trigger("a")
  const [run] = await waitUntil("the sync to end", async () => {
    const rows = await readRuns(stack.sql, "a")
    return rows.some(({ outcome }) => outcome !== "running") ? rows : null
  })
  expect(run).toMatchObject({ outcome: "failed", error: "blocked-address" })
  expect(source.seen("/a")).toEqual([])
})

test("invalid records are skipped and logged with their offsets, and others are ingested", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const scheduler = await stack.startScheduler()
  const unstorable = JSON.stringify({
    connection: "a\u0000b",
    first_at: "2026-01-01T00:00:00Z",
    last_at: "2026-01-01T00:00:00Z",
    count: 1,
    correlation: "c",
  })
  await stack.publish([null, "not json", "{}", unstorable], "a")
  await stack.trigger("nobody")
  await stack.trigger("a")
  await waitUntil("the sync", async () => (await readWindow(stack.sql, "a")).covered === "1")
  const skipped = scheduler.log().filter(({ msg }) => /invalid trigger record/.test(String(msg)))
  expect(skipped.map(({ reason }) => reason).sort()).toEqual([
    "Postgres cannot store one of its values",
    expect.stringContaining("connection "),
    "no value (a tombstone)",
    "not JSON",
  ])
  expect(skipped.every(({ topic, partition, offset }) => topic && partition !== undefined && offset)).toBe(
    true,
  )
})
