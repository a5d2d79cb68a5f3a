import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startConsoles } from "./fixtures/startConsoles.ts"

const body = { site: "shop.example", source: "https://source.example/" }
const headers = { "idempotency-key": "once" }

test("a console that is killed within a write leaves nothing of it, and the repeated request succeeds", async () => {
  await using it = await startConsoles()
  const killed = await it.console()
  // The request inserts the connection and its window, and then waits for this lock with its audit entry.
  const locking = await it.pool.driver.connect()
  await locking.query("begin; lock table audit_entry in access exclusive mode")
  const lost = it.call(killed, "POST", "/v1/connections", body, headers).catch(() => "no response")
  await waitUntil("the request to wait for the audit log", async () => {
    const waiting = await it.sql(
      "select from pg_locks where not granted and relation = 'audit_entry'::regclass",
    )
    return waiting.length > 0
  })
  await killed.end("SIGKILL")
  expect(await lost).toBe("no response")
  await locking.query("commit")
  locking.release()

  const console = await it.console()
  const repeated = await it.call(console, "POST", "/v1/connections", body, headers)
  expect(repeated.status).toBe(201)
  const again = await it.call(console, "POST", "/v1/connections", body, headers)
  expect(again.text).toBe(repeated.text)
  const [counts] = await it.sql(
    `select (select count(*)::int from connection) as connections, (select count(*)::int from sync_window) as windows,
            (select count(*)::int from audit_entry) as entries`,
  )
  expect(counts).toEqual({ connections: 1, windows: 1, entries: 1 })
}, 60_000)
