import { expect, test } from "vitest"
import { startInstallation } from "../fixtures/testDispatcher.ts"

test.each([
  ["scheduler", "sync_window", "run_traceparents"],
  ["scheduler", "sync_run", "traceparents"],
  ["console", "waiting_delivery", "attempts"],
  ["console", "channel", "partner_may_change_address"],
] as const)("the %s does not start before the migration that adds %s.%s", async (service, table, column) => {
  await using it = await startInstallation()
  await it.sql(`alter table ${table} drop column ${column}`)
  const missing = new RegExp(`column \\S*${column}\\S* does not exist[\\s\\S]*migrations`)
  await expect(it.service(service, { STARTUP_DEADLINE: "100ms" })).rejects.toThrow(missing)
})
