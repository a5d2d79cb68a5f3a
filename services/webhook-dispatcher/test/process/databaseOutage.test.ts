import { startReceiver } from "@sitewire/cli/receivers"
import { openPool } from "@sitewire/database"
import { postgresAddress, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { closeDatabase } from "../fixtures/closeDatabase.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("an idle dispatcher is not ready while the database is unavailable", async () => {
  await using it = await startInstallation()
  const dispatcher = await it.dispatcher()
  const isReady = () => dispatcher.readiness().ready
  expect(isReady()).toBe(true)
  const database = await closeDatabase(it.databaseUrl)
  await waitUntil("it to notice", () => !isReady())
  await database.open()
  await waitUntil("it to be ready again", isReady)
})

test("an attempt that ends during the stop is recorded, although the database is unavailable at that moment", async () => {
  await using it = await startInstallation()
  let answer = () => {}
  const partner = await startReceiver((_, response) => {
    answer = () => response.writeHead(204).end()
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("during-the-stop")])
  await waitUntil("the attempt", () => partner.received.length === 1)
  const ended = dispatcher.stop()
  await waitUntil("the stop to begin", () => dispatcher.output().includes('"stopping"'))
  const database = await closeDatabase(it.databaseUrl)
  answer()
  await waitUntil("it to meet that", () =>
    dispatcher.readiness().checks.postgres?.why?.includes("store deliveries"),
  )
  await database.open()
  expect(await ended).toBe(0)
  expect(await it.sql("select state, attempts from delivery")).toEqual([{ state: "delivered", attempts: 1 }])
  await partner.close()
})

test("events wait while the database is read-only, like a standby, and none is rejected", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("before")])
  const delivered = () => it.count("state = 'delivered'")
  await waitUntil("the delivery before", async () => (await delivered()) === 1)

  const database = new URL(it.databaseUrl).pathname.slice(1)
  const admin = openPool({ url: postgresAddress(), size: 1, name: "test" })
  await admin.sql(`alter database "${database}" set default_transaction_read_only = on`)
  await admin.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'webhook-dispatcher'",
    [database],
  )
  await it.publishPaid(Array.from({ length: 20 }, (_, at) => paid(`during-${at}`)))
  await waitUntil("the dispatcher to meet it", () =>
    dispatcher.readiness().checks.postgres?.why?.includes("read-only transaction"),
  )
  expect(dispatcher.readiness().ready).toBe(false)
  expect(partner.received).toHaveLength(1)

  await admin.sql(`alter database "${database}" reset default_transaction_read_only`)
  await waitUntil("all deliveries", async () => (await delivered()) === 21)
  expect(partner.received).toHaveLength(21)
  expect(invalid).toEqual([])
  await admin.close()
  await partner.close()
})

test("while a statement fails, the dispatcher is not ready, although others succeed", async () => {
  await using it = await startInstallation()
  const isWorking = () => dispatcher.readiness().checks.postgres?.ready
  const workingAtAttempts: (boolean | undefined)[] = []
  const partner = await startReceiver((_, response) => {
    workingAtAttempts.push(isWorking())
    response.writeHead(204).end()
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.sql(
    "create function refuse() returns trigger language plpgsql as $$ begin raise lock_not_available; end $$",
  )
  await it.sql("create trigger refuse before insert on delivery for each row execute function refuse()")
  await it.publishPaid([paid("first")])
  await waitUntil("the failure", () => isWorking() === false)
  // Its event is looked up.
  await it.publishPaid([paid("second")])
  await waitUntil("the second attempt", () => workingAtAttempts.length === 2)
  expect(workingAtAttempts).toEqual([true, false])
  // It deadlocks with a statement of the dispatcher now and then.
  const drop = () => it.sql("drop trigger refuse on delivery")
  await waitUntil("the trigger to be dropped", () =>
    drop().then(
      () => true,
      () => false,
    ),
  )
  await waitUntil("both deliveries", async () => (await it.count("state = 'delivered'")) === 2)
  await waitUntil("it to be ready again", () => isWorking())
  await partner.close()
})

test("a dispatcher whose statements the database rejects exits when its attempts in flight have ended, and no delivery is lost", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher({ DELIVERY_TIMEOUT: "100ms", SHUTDOWN_DEADLINE: "120s" })
  await it.sql("alter table delivery rename to elsewhere")
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the stop to begin", () => dispatcher.output().includes("a record could not be handled"))
  const stoppedAt = performance.now()
  expect(await dispatcher.exited).toBe(1)
  // At the end of the attempts, and not at the deadline of the shutdown.
  expect(performance.now() - stoppedAt).toBeLessThan(60_000)
  await it.sql("alter table elsewhere rename to delivery")
  await it.dispatcher()
  await waitUntil("the delivery", () => partner.received.length === 1)
  await partner.close()
})
