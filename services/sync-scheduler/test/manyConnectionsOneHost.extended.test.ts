import { addConnections } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"

test("two schedulers sync 500 connections of one host, at a second per sync, within a minute", async () => {
  const stack = await startStack({ SYNC_WINDOW: "60s", SYNC_SETTLE: "2s", SYNC_DEADLINE: "50s" })
  const source = await startSource((response) => setTimeout(() => response.end("data"), 1_000))
  const ids = Array.from({ length: 500 }, (_, index) => `c${index}`)
  await addConnections(stack.sql, ids, (id) => source.url(`/${id}`))
  await Promise.all([stack.startScheduler(), stack.startScheduler()])
  await Promise.all(ids.map((id) => stack.trigger(id)))
  const covered = () => stack.sql("select from sync_window where covered = requested and requested = 1")
  await waitUntil("all to be synced", async () => (await covered()).length === ids.length, 70_000)
  const [late] = await stack.sql<{ late: number; most: number }>(
    `select count(*) filter (where finished_at - first_trigger_at > interval '60 seconds')::int as late,
       max(extract(epoch from finished_at - first_trigger_at))::float8 as most
     from sync_run`,
  )
  expect(late).toMatchObject({ late: 0 })
  expect(await stack.sql("select from sync_run where fence > 1")).toEqual([])
})
