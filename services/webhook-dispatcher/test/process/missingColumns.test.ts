import { startTestInstallation } from "@sitewire/testkit"
import { expect, test } from "vitest"

test.each([
  ["dispatcher", "delivery", "traceparent"],
  ["dispatcher", "channel", "send_traceparent"],
  ["scheduler", "sync_window", "traceparents"],
  ["scheduler", "sync_run", "traceparents"],
  ["scheduler", "snapshot", "previous_stored_at"],
  ["console", "delivery", "traceparent"],
  ["console", "channel", "send_traceparent"],
  ["console", "snapshot", "previous_stored_at"],
] as const)("the %s does not start before the migration that adds %s.%s", async (process, table, column) => {
  await using it = await startTestInstallation()
  await it.sql(`alter table ${table} drop column ${column}`)
  const missing = new RegExp(`column \\S*${column}\\S* does not exist[\\s\\S]*migrations`)
  await expect(it.start(process, { STARTUP_DEADLINE: "1s" })).rejects.toThrow(missing)
})
