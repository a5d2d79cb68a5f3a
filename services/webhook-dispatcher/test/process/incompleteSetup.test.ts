import { waitUntil } from "@sitewire/testkit"
import type { ServiceName } from "@sitewire/testkit/installation"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

let it: TestInstallation
beforeAll(async () => {
  it = await startInstallation()
})
afterAll(() => it[Symbol.asyncDispose]())

const soon = { STARTUP_DEADLINE: "100ms" }
const start = (service: ServiceName, overrides: Record<string, string>) =>
  service === "dispatcher"
    ? it.dispatcher({ ...soon, ...overrides })
    : it.service(service, { ...soon, ...overrides })

/** On a busy machine, Postgres or Kafka may not respond within the deadline, and the process then exits for that reason. */
const startFailsWith = (service: ServiceName, overrides: Record<string, string>, message: RegExp) =>
  waitUntil(`the ${service} to fail with ${message}`, async () => {
    const failure = await start(service, overrides).then(
      () => expect.fail(`the ${service} has started`),
      (error: Error) => error.message,
    )
    return message.test(failure)
  })

// The other columns of the scheduler and the console: incompleteSetup.extended.test.ts.
test.each([
  ["dispatcher", "waiting_delivery", "attempts"],
  ["dispatcher", "channel", "partner_may_change_address"],
  ["dispatcher", "ended_delivery", "event_id"],
  ["scheduler", "previous_snapshot", "replaced_at"],
  ["console", "previous_snapshot", "replaced_at"],
] as const)("the %s does not start before the migration that adds %s.%s", async (service, table, column) => {
  await it.sql(`alter table ${table} rename column ${column} to elsewhere`)
  const missing = new RegExp(`column \\S*${column}\\S* does not exist[\\s\\S]*migrations`)
  await startFailsWith(service, {}, missing)
  await it.sql(`alter table ${table} rename column elsewhere to ${column}`)
})

test.each(["dispatcher", "scheduler", "gateway"] as const)(
  "the %s exits with the names of the missing topics, and with what to do",
  async (service) => {
    const missing = /missing: nobody-made-these\.[\s\S]*Run the setup job/
    await startFailsWith(service, { TOPIC_PREFIX: "nobody-made-these." }, missing)
  },
)
