import { openTransaction } from "@sitewire/syncs/fixtures/openTransaction"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { addSynced, isAboutLock, isCovered, lockWindow, triggerOf } from "./fixtures/lockedRows.ts"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"

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
