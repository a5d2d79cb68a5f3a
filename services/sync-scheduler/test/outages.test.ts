import { addConnections, readRuns, readWindow } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startDatabaseProxy } from "./fixtures/databaseProxy.ts"
import { startStack } from "./fixtures/scheduler.ts"
import { gaps, startSource } from "./fixtures/source.ts"

const windowMs = 3_000

test("a sync whose process is killed runs again on another scheduler after its lease, and its triggers are covered", async () => {
  const stack = await startStack()
  const source = await startSource((response, _, count) => {
    if (count > 1) response.end("data")
  })
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const first = await stack.startScheduler({ SYNC_DEADLINE: "30s" })
  await stack.trigger("a")
  await waitUntil("the sync to begin", () => source.seen("/a").length === 1)
  // Its lease is 35 s. Shorten it, so that the test need not wait so long.
  await stack.sql("update sync_window set due_at = clock_timestamp() + interval '5 seconds'")
  await first.kill("SIGKILL")
  await stack.startScheduler()
  await waitUntil("the sync to be done", async () => (await readWindow(stack.sql, "a")).covered === "1")
  const [gap = 0] = gaps(source.seen("/a"))
  expect(gap).toBeGreaterThanOrEqual(windowMs)
  expect(await readRuns(stack.sql, "a")).toMatchObject([
    { outcome: "abandoned", error: "lost" },
    { outcome: "changed", triggers: 1 },
  ])
})

test("after SIGTERM, running syncs end; one that does not is aborted and runs again in its next window", async () => {
  const stack = await startStack()
  const { promise: stopping, resolve: stopped } = Promise.withResolvers<void>()
  const source = await startSource(async (response, { path }, count) => {
    if (path === "/slow") await stopping
    if (path === "/slow" || count > 1) response.end("data")
  })
  await addConnections(stack.sql, ["slow", "stuck"], (id) => source.url(`/${id}`))
  const scheduler = await stack.startScheduler({ SHUTDOWN_DEADLINE: "6s" })
  await Promise.all([stack.trigger("slow"), stack.trigger("stuck")])
  await waitUntil("both to begin", () => source.seen("/slow").length + source.seen("/stuck").length === 2)
  const ended = scheduler.kill("SIGTERM")
  await waitUntil("the stop to begin", () => scheduler.log().some(({ msg }) => msg === "stopping"))
  stopped()
  expect(await ended).toBe(0)
  expect(await readWindow(stack.sql, "slow")).toMatchObject({ covered: "1", running: false })
  expect(await readWindow(stack.sql, "stuck")).toMatchObject({ covered: "0", running: false, failures: 0 })
  await stack.startScheduler()
  await waitUntil("the second run", async () => (await readWindow(stack.sql, "stuck")).covered === "1")
  expect(gaps(source.seen("/stuck"))[0]).toBeGreaterThanOrEqual(windowMs)
})

test("the end of a sync during the stop is recorded, even if Postgres is unavailable at first", async () => {
  const stack = await startStack()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const source = await startSource(async (response) => {
    await released
    response.end("data")
  })
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const proxy = await startDatabaseProxy(stack.databaseUrl)
  const scheduler = await stack.startScheduler({ DATABASE_URL: proxy.url })
  await stack.trigger("a")
  await waitUntil("the sync to begin", () => source.seen("/a").length === 1)
  const ended = scheduler.kill("SIGTERM")
  await waitUntil("the stop to begin", () => scheduler.log().some(({ msg }) => msg === "stopping"))
  proxy.cut()
  release()
  await waitUntil("the statement to fail", proxy.hasRejected)
  proxy.restore()
  expect(await ended).toBe(0)
  expect(await readWindow(stack.sql, "a")).toMatchObject({ covered: "1", running: false })
})

test("while Postgres is unavailable, triggers wait and the scheduler is unready; afterwards all are covered", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const proxy = await startDatabaseProxy(stack.databaseUrl)
  const scheduler = await stack.startScheduler({ DATABASE_URL: proxy.url })
  expect(await scheduler.ready()).toBe(true)
  proxy.cut()
  await stack.trigger("a", 5)
  await waitUntil("the scheduler to be unready", async () => !(await scheduler.ready()))
  proxy.restore()
  await waitUntil("the sync", async () => (await readWindow(stack.sql, "a")).covered === "5")
  await waitUntil("the scheduler to be ready", scheduler.ready)
  expect(source.seen("/a")).toHaveLength(1)
})

test("content that arrives while Postgres is unavailable is stored when it recovers, and the source is called once", async () => {
  const stack = await startStack()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const body = Buffer.alloc(700_000, "data ")
  const source = await startSource(async (response) => {
    response.write(body.subarray(0, 10))
    await released
    response.end(body.subarray(10))
  })
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const proxy = await startDatabaseProxy(stack.databaseUrl)
  const scheduler = await stack.startScheduler({ DATABASE_URL: proxy.url })
  await stack.trigger("a")
  await waitUntil("the sync to begin", () => source.seen("/a").length === 1)
  proxy.cut()
  release()
  await waitUntil("the scheduler to be unready", async () => !(await scheduler.ready()))
  proxy.restore()
  await waitUntil("the sync", async () => (await readWindow(stack.sql, "a")).covered === "1")
  expect(await readRuns(stack.sql, "a")).toMatchObject([{ outcome: "changed" }])
  const chunks = await stack.sql<{ data: Buffer }>("select data from snapshot_chunk order by position")
  expect(Buffer.concat(chunks.map(({ data }) => data)).equals(body)).toBe(true)
})

test("a connection whose sync cannot be granted is reported, and the others are synced", async () => {
  const stack = await startStack({ SYNC_WINDOW: "1s" })
  const source = await startSource()
  await addConnections(stack.sql, ["a", "b"], (id) => source.url(`/${id}`))
  // The next fence would overflow.
  await stack.sql(
    "insert into sync_window (connection_id, fence) values ('a', 9223372036854775807), ('b', 0)",
  )
  const scheduler = await stack.startScheduler()
  await Promise.all([stack.trigger("a"), stack.trigger("b")])
  await waitUntil("the other sync", async () => (await readWindow(stack.sql, "b")).covered === "1")
  const isCounted = async () =>
    /sitewire_sync_claim_failures_total\{.*\} [1-9]/.test(await scheduler.metrics())
  await waitUntil("the failed claim to be counted", isCounted)
  expect(await scheduler.ready()).toBe(true)
  expect(scheduler.log()).toContainEqual(expect.objectContaining({ level: "error", connection: "a" }))
  await stack.sql("update sync_window set fence = 1 where connection_id = 'a'")
  await waitUntil("its sync", async () => (await readWindow(stack.sql, "a")).covered === "1")
})

test("a partner's triggers do not end the wait of a connection whose runs were lost again and again", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  await stack.sql(
    `insert into sync_window (connection_id, requested, failures, last_error, due_at)
     values ('a', 1, 2, 'lost', clock_timestamp() + interval '1 hour')`,
  )
  const before = await readWindow(stack.sql, "a")
  await stack.startScheduler()
  await stack.trigger("a")
  await waitUntil(
    "the trigger to be recorded",
    async () => (await readWindow(stack.sql, "a")).requested === "2",
  )
  expect(await readWindow(stack.sql, "a")).toMatchObject({ failures: 2, due_at: before.due_at })
  expect(source.seen("/a")).toHaveLength(0)
})
