import { randomBytes } from "node:crypto"
import { lowestDeliveryId, streamedDeliverySchema } from "@sitewire/contracts"
import { closedPort, startTestInstallation, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { runCommand, startCommand } from "./fixtures/runCommand.ts"
import { startConsoleOf } from "./fixtures/startConsole.ts"

let it: Awaited<ReturnType<typeof startTestInstallation>>
let console: Awaited<ReturnType<typeof startConsoleOf>>
beforeAll(async () => {
  it = await startTestInstallation()
  console = await startConsoleOf(it)
})
afterAll(async () => {
  await console?.close()
  await it?.stop()
})

const run = (...args: string[]) => runCommand(args, { env: console.cliEnv })

function tail(args: string[], env: Record<string, string> = {}) {
  const command = startCommand(args, { env: { ...console.cliEnv, ...env } })
  onTestFinished(async () => {
    command.interrupt()
    await command.ended
  })
  return command
}

/** Its event's id is that of the delivery. */
async function insertDelivery(channel: string, body = ""): Promise<string> {
  const id = `${lowestDeliveryId(Date.now()).slice(0, 14)}7000-8000-${randomBytes(6).toString("hex")}`
  await it.sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
       values ($1::uuid, $1::text, $2, convert_to($3, 'UTF8'), '', 'c') returning *
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, next_attempt_at)
     select id, channel_id, attempts, now() from stored`,
    [id, channel, body],
  )
  return id
}

test("delivery tail prints each delivery, also those of an interruption, and exits with 0 when interrupted", async () => {
  const { written, interrupt, ended } = tail(["delivery", "tail"])
  await waitUntil("the connection", () => written.stderr.includes("Following changes"))
  const first = await insertDelivery("acme", '{"reference":"user 4711"}')
  await waitUntil("the first delivery", () => written.stdout.includes(first))
  expect(written.stdout).toMatch(
    new RegExp(`${first}  acme  pending  #0  event ${first}  reference user 4711\\n`),
  )
  const port = new URL(console.cliEnv.SITEWIRE_API).port
  await console.close()
  await waitUntil("the interruption", () => written.stderr.includes("interrupted"))
  const missed = await insertDelivery("acme")
  console = await startConsoleOf(it, { CONSOLE_PORT: port })
  await waitUntil("the missed delivery", () => written.stdout.includes(missed))
  interrupt()
  expect(await ended).toMatchObject({ code: 0 })
})

test("delivery tail begins with a backlog, oldest first, and prints deliveries of one state only", async () => {
  const stored = [await insertDelivery("acme"), await insertDelivery("acme", '{"reference":"r"}')]
  const dead = await insertDelivery("acme")
  const die = (id: string) => it.sql("update delivery set state = 'dead' where id = $1", [id])
  await die(dead)
  const { written } = tail(["delivery", "tail", "--state", "pending", "--backlog", "2", "--json"])
  await waitUntil("the backlog", () => written.stdout.split("}\n{").length >= 2)
  const last = await insertDelivery("acme")
  await waitUntil("a change", () => written.stdout.includes(last))
  await die(last)
  const marker = await insertDelivery("acme")
  await waitUntil("a later change", () => written.stdout.includes(marker))
  const printed = written.stdout
    .split(/(?<=^\})\n/m)
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text))
  // A change can come twice.
  const distinct = new Map(printed.map(({ id, reference, state }) => [id, [id, reference, state]]))
  expect([...distinct.values()]).toEqual([
    [stored[0], null, "pending"],
    [stored[1], "r", "pending"],
    [last, null, "pending"],
    [marker, null, "pending"],
  ])
  for (const delivery of printed) expect(streamedDeliverySchema.strict().parse(delivery)).toEqual(delivery)
})

test("sync tail prints the syncs of one connection", async () => {
  const source = "https://source.example/"
  for (const id of ["one", "two"])
    await run("connection", "create", "--id", id, "--site", "shop.example", "--source", source)
  const { written } = tail(["sync", "tail", "two", "--json"])
  const insert = (id: string) =>
    it.sql(
      "insert into sync_run (connection_id, fence, started_at, outcome, triggers) select $1, count(*), now(), 'changed', 3 from sync_run",
      [id],
    )
  await waitUntil("a sync", async () => {
    await insert("one")
    await insert("two")
    return written.stdout.includes("}\n")
  })
  expect(written.stdout).toContain('"connection": "two"')
  expect(written.stdout).not.toContain('"connection": "one"')
})

test("a tail that the API rejects ends with an error", async () => {
  expect(await run("delivery", "tail", "--channel", "nobody")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"nobody"'),
  })
  const env = { ...console.cliEnv, SITEWIRE_API: `http://127.0.0.1:${await closedPort()}` }
  expect(await runCommand(["sync", "tail"], { env })).toMatchObject({ code: 3 })
})

test("a tail ends when its key is revoked", async () => {
  const { written, ended } = tail(["delivery", "tail"], {
    SITEWIRE_API_KEY: await console.createKey("revoked", "read"),
  })
  await waitUntil("the connection", () => written.stderr.includes("Following changes"))
  await it.sql("update api_key set revoked_at = now() where name = 'revoked'")
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining("(401)") })
})
