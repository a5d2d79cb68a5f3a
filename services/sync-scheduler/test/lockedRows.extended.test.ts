import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { openTransaction } from "./fixtures/openTransaction.ts"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"
import { addConnections, readWindow } from "./fixtures/windows.ts"

const lockWindow = "update sync_window set correlation = correlation where connection_id = 'a'"

type Stack = Awaited<ReturnType<typeof startStack>>

/** Connections whose windows exist. */
async function addSynced(stack: Stack, ids: readonly string[], sourceOf: (id: string) => string) {
  await addConnections(stack.sql, ids, sourceOf)
  await stack.sql("insert into sync_window (connection_id) select unnest($1::text[])", [ids])
}

const isAboutLock = (message: unknown) => /is locked by another transaction/.test(String(message))

const isCovered = (stack: Stack, connection: string, triggers: string) => async () =>
  (await readWindow(stack.sql, connection)).covered === triggers

test("the trigger of a locked connection whose scheduler is killed is synced by the next one", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addSynced(stack, ["a", "b"], (id) => source.url(`/${id}`))
  const scheduler = await stack.startScheduler()
  const lock = await openTransaction(stack.databaseUrl, lockWindow)
  await stack.trigger("a")
  // Others of its partition follow, and are recorded.
  await stack.publish([JSON.stringify(triggerOf("b"))], "a")
  await waitUntil("the other to be covered", isCovered(stack, "b", "1"))
  await scheduler.kill("SIGKILL")
  await lock.rollback()
  await stack.startScheduler()
  await waitUntil("the sync", isCovered(stack, "a", "1"), 30_000)
})

function triggerOf(connection: string) {
  const at = new Date().toISOString()
  return { connection, first_at: at, last_at: at, count: 1, correlation: "c" }
}

test("a stop does not wait for a locked row, so the partitions are soon assigned to another scheduler", async () => {
  const stack = await startStack()
  const source = await startSource()
  await addSynced(stack, ["a"], (id) => source.url(`/${id}`))
  const scheduler = await stack.startScheduler({ SHUTDOWN_DEADLINE: "25s" })
  const lock = await openTransaction(stack.databaseUrl, lockWindow)
  await stack.trigger("a")
  const isWarned = () => scheduler.log().some(({ msg }) => isAboutLock(msg))
  await waitUntil("the warning", isWarned)
  const stoppedAt = performance.now()
  expect(await scheduler.kill("SIGTERM")).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(15_000)
  await lock.rollback()
  await stack.startScheduler()
  await waitUntil("the sync", isCovered(stack, "a", "1"))
})
