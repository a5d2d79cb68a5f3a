import { openTransaction } from "@sitewire/syncs/fixtures/openTransaction"
import { addConnections, readRuns, readWindow } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { addSynced, isAboutLock, isCovered, lockWindow } from "./fixtures/lockedRows.ts"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"

test("while a connection's row is locked, the triggers of all others are recorded and synced, and afterwards its own", async () => {
  const stack = await startStack()
  const source = await startSource()
  const ids = ["a", "b", "c", "d"]
  await addSynced(stack, ids, (id) => source.url(`/${id}`))
  const scheduler = await stack.startScheduler()
  const lock = await openTransaction(stack.databaseUrl, lockWindow)
  await Promise.all(ids.slice(0, 3).map((id) => stack.trigger(id)))
  await waitUntil("the others to be covered", isCovered(stack, "b", "1"))
  await waitUntil("the others to be covered", isCovered(stack, "c", "1"))
  await Promise.all(["a", "d"].map((id) => stack.trigger(id)))
  await waitUntil("one of a later batch to be covered", isCovered(stack, "d", "1"))
  const warnings = () => scheduler.log().filter(({ msg }) => isAboutLock(msg))
  await waitUntil("the warning", () => warnings().length > 0)
  expect(warnings()).toMatchObject([{ connection: "a" }])
  expect(await scheduler.ready()).toBe(true)
  expect(source.seen("/a")).toHaveLength(0)
  await lock.rollback()
  await waitUntil("the locked one to be covered", isCovered(stack, "a", "2"))
  const isCommitted = async () => /sitewire_trigger_lag_records\{.*\} 0$/m.test(await scheduler.metrics())
  await waitUntil("its offsets to be committed", isCommitted)
})

test("while a connection is being deleted, the triggers of others are recorded, also if it has no window yet", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addConnections(stack.sql, ["new", "b"], (id) => source.url(`/${id}`))
  await stack.startScheduler()
  const deletion = await openTransaction(stack.databaseUrl, "delete from connection where id = 'new'")
  await Promise.all(["new", "b"].map((id) => stack.trigger(id)))
  await waitUntil("the other window", async () =>
    stack.sql("select 1 from sync_window where connection_id = 'b'").then(({ length }) => length === 1),
  )
  await waitUntil("the other to be covered", isCovered(stack, "b", "1"))
  await deletion.rollback()
  await waitUntil("its own sync", () => source.seen("/new").length === 1)
})

test("the end of a locked connection's sync waits and is recorded after the lock, and delays no others", async () => {
  const stack = await startStack({ SYNC_MAX_RUNNING: "2" })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const source = await startSource(async (response) => {
    await released
    response.end("data")
  })
  await addSynced(stack, ["a", "b", "c"], (id) => source.url(`/${id}`))
  const scheduler = await stack.startScheduler()
  await Promise.all(["a", "b"].map((id) => stack.trigger(id)))
  await waitUntil("both to begin", () => source.seen("/a").length + source.seen("/b").length === 2)
  const lock = await openTransaction(stack.databaseUrl, lockWindow)
  release()
  await waitUntil("the other to be covered", isCovered(stack, "b", "1"))
  await stack.trigger("c")
  await waitUntil("a later sync", isCovered(stack, "c", "1"))
  const isWarned = () => scheduler.log().some(({ msg }) => isAboutLock(msg))
  await waitUntil("the warning", isWarned)
  expect(await scheduler.ready()).toBe(true)
  expect(await readWindow(stack.sql, "a")).toMatchObject({ covered: "0", running: true })
  await lock.rollback()
  await waitUntil("the locked one to be covered", isCovered(stack, "a", "1"))
  expect(await readRuns(stack.sql, "a")).toMatchObject([{ outcome: "changed" }])
  expect(source.seen("/a")).toHaveLength(1)
})

test("the ends of locked syncs occupy no permits", async () => {
  const stack = await startStack({ SYNC_MAX_RUNNING: "1" })
  const source = await startSource()
  await addSynced(stack, ["a", "b"], (id) => source.url(`/${id}`))
  const lockOnRequest = Promise.withResolvers<Awaited<ReturnType<typeof openTransaction>>>()
  const locking = await startSource(async (response) => {
    lockOnRequest.resolve(await openTransaction(stack.databaseUrl, lockWindow))
    response.end("data")
  })
  await stack.sql("update connection set source = $1 where id = 'a'", [locking.url("/a")])
  await stack.startScheduler()
  await stack.trigger("a")
  const lock = await lockOnRequest.promise
  await stack.trigger("b")
  await waitUntil("the other to be covered", isCovered(stack, "b", "1"))
  await lock.rollback()
  await waitUntil("the locked one to be covered", isCovered(stack, "a", "1"))
})
