import { addDailySyncs } from "@sitewire/syncs/fixtures/dailySyncs"
import { waitUntil } from "@sitewire/testkit"
import { test } from "vitest"
import { startStack } from "./fixtures/scheduler.ts"

test("a scheduler deletes the syncs that are older than RETENTION, and makes the days of the next ones", async () => {
  const stack = await startStack({ RETENTION: "24s" })
  await addDailySyncs(stack.sql, { connections: 2, days: 5, newest: new Date() })
  await stack.startScheduler()
  const isMade = async () =>
    (
      await stack.sql(
        "select from pg_class where relname = 'sync_run_' || to_char((now() at time zone 'UTC')::date + 7, 'YYYYMMDD')",
      )
    ).length === 1
  // Those of today stay until the day has ended.
  const isDeleted = async () =>
    (await stack.sql("select from sync_run where started_at < date_trunc('day', now(), 'UTC')")).length === 0
  await waitUntil("the old syncs to be deleted", isDeleted)
  await waitUntil("the next days to be made", isMade)
})
