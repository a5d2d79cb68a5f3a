import { addConnections, readWindow } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startDatabaseProxy } from "./fixtures/databaseProxy.ts"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"

test("a process that is paused during a sync and resumes after its lease writes nothing", async () => {
  const stack = await startStack()
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
  const source = await startSource(async (response, _, count) => {
    if (count === 1) await resumed
    response.end(count === 1 ? "stale" : "fresh")
  })
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const paused = await stack.startScheduler()
  await stack.trigger("a")
  await waitUntil("the sync to begin", () => source.seen("/a").length === 1)
  paused.process.kill("SIGSTOP")
  await stack.sql("update sync_window set due_at = clock_timestamp() + interval '4 seconds'")
  await stack.startScheduler()
  await waitUntil(
    "the sync to be done",
    async () => (await readWindow(stack.sql, "a")).covered === "1",
    30_000,
  )
  resume()
  paused.process.kill("SIGCONT")
  await waitUntil("the paused process to notice", () =>
    paused.log().some(({ msg }) => /result of a sync was discarded/.test(String(msg))),
  )
  expect(await stack.sql("select fence, bytes from snapshot")).toEqual([{ fence: "2", bytes: "5" }])
  const chunks = await stack.sql<{ data: Buffer }>("select data from snapshot_chunk")
  expect(chunks.map(({ data }) => data.toString())).toEqual(["fresh"])
})

test("a trigger whose scheduler is killed while Postgres is unavailable is synced by the next one", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["a"], () => source.url("/a"))
  const proxy = await startDatabaseProxy(stack.databaseUrl)
  const scheduler = await stack.startScheduler({ DATABASE_URL: proxy.url })
  proxy.cut()
  await stack.trigger("a")
  // Invalid records need no Postgres, and some of these follow the trigger in its partition.
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
  await Promise.all([...keys, "a"].map((key) => stack.publish(["not json"], key)))
  const invalid = () => scheduler.log().filter(({ msg }) => /invalid trigger record/.test(String(msg)))
  await waitUntil("the scheduler to have read all records", () => invalid().length === keys.length + 1)
  await waitUntil("a statement to fail", proxy.hasRejected)
  const isCommitted = async () => /sitewire_trigger_lag_records\{.*\} 0$/m.test(await scheduler.metrics())
  await waitUntil("the other partition's offsets to be committed", isCommitted)
  await scheduler.kill("SIGKILL")
  proxy.restore()
  await stack.startScheduler()
  await waitUntil("the sync", async () => (await readWindow(stack.sql, "a")).covered === "1", 30_000)
})
