import { openPool } from "@sitewire/database"
import { postgresAddress, startReceiver, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "./testDispatcher.ts"

test("a dispatcher that has nothing to do is not ready while the database is away", async () => {
  await using it = await startInstallation()
  const dispatcher = await it.dispatcher()
  const ready = async () => (await fetch(`${dispatcher.addresses.ops}/readyz`)).status
  expect(await ready()).toBe(200)
  const database = new URL(it.databaseUrl).pathname.slice(1)
  const admin = openPool({ url: postgresAddress(), size: 1, name: "test" })
  await admin.sql(`alter database "${database}" with allow_connections false`)
  await admin.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [database])
  await waitUntil("it to notice", async () => (await ready()) === 503)
  await admin.sql(`alter database "${database}" with allow_connections true`)
  await waitUntil("it to be ready again", async () => (await ready()) === 200)
  await admin.close()
}, 60_000)

test("events wait while the database is read-only, as a standby is, and none of them is refused", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const refused = await it.read(it.names.sitePaidInvalid)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("before")])
  const delivered = async () => (await it.sql("select from delivery where state = 'delivered'")).length
  await waitUntil("the delivery before", async () => (await delivered()) === 1)

  const database = new URL(it.databaseUrl).pathname.slice(1)
  const admin = openPool({ url: postgresAddress(), size: 1, name: "test" })
  await admin.sql(`alter database "${database}" set default_transaction_read_only = on`)
  await admin.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = 'webhook-dispatcher'",
    [database],
  )
  await it.publishPaid(Array.from({ length: 20 }, (_, at) => paid(`during-${at}`)))
  await waitUntil("the dispatcher to meet it", () => dispatcher.output().includes("read-only transaction"))
  const ready = await fetch(`${dispatcher.addresses.ops}/readyz`)
  expect(ready.status).toBe(503)
  expect(partner.received).toHaveLength(1)

  await admin.sql(`alter database "${database}" reset default_transaction_read_only`)
  await waitUntil("all deliveries", async () => (await delivered()) === 21)
  expect(partner.received).toHaveLength(21)
  expect(refused).toEqual([])
  await admin.close()
  await partner.close()
}, 60_000)
