import { waitUntil } from "@sitewire/testkit"
import { test } from "vitest"
import { addDailyRuns } from "./fixtures/dailyRuns.ts"
import { startStack } from "./fixtures/scheduler.ts"

test("a scheduler deletes the runs that are older than RETENTION, except for each connection's newest", async () => {
  const stack = await startStack({ RETENTION: "24s" })
  await addDailyRuns(stack.sql, 3, 1)
  await stack.startScheduler()
  const count = async () => (await stack.sql("select 1 from sync_run")).length
  await waitUntil("the old runs to be deleted", async () => (await count()) === 3)
})
