import { type Delivery, newDeliveryId, type Page } from "@sitewire/contracts"
import { sign } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand, runJson, startCommand } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"
import { startSystem } from "./fixtures/startSystem.ts"

let system: Awaited<ReturnType<typeof startSystem>>
// The partner's address accepts nothing at /failing.
beforeAll(async () => {
  system = await startSystem(
    ({ path }, response) => response.writeHead(path === "/failing" ? 503 : 204).end(),
    {},
    { services: ["dispatcher"] },
  )
})
afterAll(() => system?.stop())

const run = (...args: string[]) => runCommand(args, { env: system.cliEnv })
const json = <T>(...args: string[]) => runJson<T>(args, { env: system.cliEnv })

async function createChannel(id: string, path = `/${id}`): Promise<{ secret: string; key: string }> {
  const address = `${system.partner.url}${path}`
  const { signing_secret: secret } = await json<{ signing_secret: string }>(
    ...["channel", "create", "--id", id, "--address", address],
  )
  return { secret, key: await system.createKey(`developer of ${id}`, `channel:${id}`) }
}

const publish = (channel: string, id: string) =>
  run("publish", "site.paid", "--channel", channel, "--id", id, "--name", "Bäckerei / Grün")

const deliveriesOf = async (channel: string) =>
  (await json<Page<Delivery>>("delivery", "list", "--channel", channel)).data

const delivered = (channel: string, count: number, attempts = 1) =>
  waitUntil("the deliveries to be recorded", async () => {
    const found = await deliveriesOf(channel)
    const done = found.filter((one) => one.state === "delivered" && one.attempts >= attempts)
    return done.length === count ? done : undefined
  })

/** The command of a developer, with a key of the channel. */
async function follow(channel: string, key: string, ...more: string[]) {
  const command = startCommand(["listen", "--channel", channel, ...more], {
    env: { ...system.cliEnv, SITEWIRE_API_KEY: key, SECRET: more.includes("SECRET") ? "wrong" : "" },
  })
  onTestFinished(async () => {
    command.interrupt()
    await command.ended
  })
  await waitUntil("the connection", () => command.written.stderr.includes("Following changes"))
  return command
}

test("the real deliveries of a channel reach a laptop with their bytes and signatures, and so do resends", async () => {
  const { key } = await createChannel("mine")
  const laptop = await startReceiver()
  onTestFinished(() => laptop.close())
  await publish("mine", "before")
  const [old] = await delivered("mine", 1)
  const it = await follow("mine", key, "--forward", `${laptop.url}/webhook?a=1`)

  await publish("mine", "now")
  await waitUntil("the delivery on the laptop", () => laptop.received.length === 1)
  const sent = () => system.partner.received.filter(({ path }) => path === "/mine")
  const same = (at: number, original: number) => {
    const [received, expected] = [laptop.received[at], sent()[original]]
    if (!received || !expected) throw new Error("there were fewer requests")
    expect(received.body.equals(expected.body)).toBe(true)
    const { host, connection, "user-agent": _, ...headers } = expected.headers
    expect(received.headers).toMatchObject(headers)
    expect(received.path).toBe("/webhook?a=1")
  }
  same(0, 1)
  expect(laptop.received[0]?.headers).toMatchObject({
    "x-sitewire-attempt": "1",
    "x-sitewire-signature": expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    "webhook-signature": expect.stringMatching(/^v1,\S{43}=$/),
  })

  await run("delivery", "resend", old?.id ?? "")
  await waitUntil("the resend on the laptop", () => laptop.received.length === 2)
  same(1, 2)
  expect(laptop.received[1]?.headers).toMatchObject({
    "x-sitewire-delivery": old?.id,
    "x-sitewire-attempt": "2",
  })
  // That a body was revealed is a change of its delivery, but no further attempt.
  await publish("mine", "last")
  await waitUntil("the last delivery on the laptop", () => laptop.received.length === 3)
  same(2, 3)
  expect(it.written.stdout).toContain("forwarded: 204")
  expect(it.written.stdout).toContain("signature: not checked")
  const audit = await run("audit", "list", "--operation", "revealDelivery")
  expect(audit.stdout).toContain(old?.id)
})

test("an attempt that the channel's own address rejects reaches the laptop, too, and is verified with the secret", async () => {
  const { key } = await createChannel("failing")
  const laptop = await startReceiver()
  onTestFinished(() => laptop.close())
  const it = await follow("failing", key, "--secret-env", "SECRET", "--forward", laptop.url)
  await publish("failing", "first")
  await waitUntil("the delivery on the laptop", () => laptop.received.length > 0)
  await waitUntil("the verdict", () => it.written.stdout.includes("signature: invalid"))
})

test("a laptop that does not respond is reported, and the next delivery still arrives", async () => {
  const { key } = await createChannel("absent")
  const laptop = await startReceiver()
  const it = await follow("absent", key, "--forward", laptop.url)
  await laptop.close()
  for (const event of ["one", "two"]) await publish("absent", event)
  await waitUntil(
    "both",
    () => it.written.stdout.match(/no response: the connection was refused/g)?.length === 2,
  )
})

test("without an address, the requests are only shown, and never those of another channel", async () => {
  const { key } = await createChannel("shown")
  await createChannel("hidden")
  const it = await follow("shown", key)
  for (const channel of ["hidden", "shown"]) await publish(channel, `event of ${channel}`)
  await waitUntil("the delivery", () => it.written.stdout.includes("POST /"))
  await delivered("hidden", 1)
  expect(it.written.stdout).toContain('"channel": "shown"')
  expect(it.written.stdout).not.toContain('"channel": "hidden"')
  it.interrupt()
  expect(await it.ended).toMatchObject({ code: 0 })
})

test("a key that is not the channel's is refused with advice, before anything is revealed", async () => {
  await createChannel("foreign")
  const { code, stderr } = await run("listen", "--channel", "foreign")
  expect(code).toBe(1)
  expect(stderr).toContain("channel:foreign")
  expect(await run("listen", "--channel", "foreign", "--port", "1")).toMatchObject({ code: 2 })
})

test("that a resend is requested is no attempt: it is forwarded when it was sent", async () => {
  // Without a dispatcher, so that attempts are recorded when this test says so.
  const own = await startConsole()
  onTestFinished(() => own.stop())
  const { sql } = own.installation
  const as = (...args: string[]) => runCommand(args, { env: own.cliEnv })
  const made = await as(
    "channel",
    "create",
    "--id",
    "mine",
    "--address",
    "https://partner.example/",
    "--json",
  )
  const { signing_secret: secret } = JSON.parse(made.stdout)
  const body = Buffer.from('{"event":"site.ready"}')
  const headers = `X-Sitewire-Signature: ${sign(body, secret).slice(0, "sha256=".length + 8)}…`
  const recordAttempt = (id: string, number: number) =>
    sql(
      `with ended as (delete from waiting_delivery where delivery_id = $1)
       insert into attempt (delivery_id, number, started_at, duration_ms, secret_id, request_headers)
       values ($1, $2::int, now(), 0, 's', $3 || chr(10) || 'X-Sitewire-Attempt: ' || $2::text)`,
      [id, number, headers],
    )
  async function addDelivered(attempt: number): Promise<string> {
    const id = newDeliveryId()
    await sql(
      `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, attempts)
       values ($1::uuid, $1::text, 'mine', $2, sha256($2), 'c', 'delivered', $3)`,
      [id, body, attempt],
    )
    await recordAttempt(id, attempt)
    return id
  }
  const id = await addDelivered(1)
  const laptop = await startReceiver()
  onTestFinished(() => laptop.close())
  const key = await own.createKey("developer", "channel:mine")
  const start = (...args: string[]) => {
    const command = startCommand(args, { env: { ...own.cliEnv, SITEWIRE_API_KEY: key } })
    onTestFinished(async () => {
      command.interrupt()
      await command.ended
    })
    return command.written
  }
  const relay = start("listen", "--channel", "mine", "--forward", laptop.url)
  const tail = start("delivery", "tail")
  await waitUntil("the connections", () => [relay, tail].every(({ stderr }) => stderr.includes("Following")))

  expect(await as("delivery", "resend", id)).toMatchObject({ code: 0 })
  await waitUntil("the request in the stream", () => tail.stdout.includes("deferred (resend)"))
  await recordAttempt(id, 2)
  await addDelivered(9)
  // In this order, so all is forwarded that was to be.
  const attempts = () => laptop.received.map((request) => request.headers["x-sitewire-attempt"])
  await waitUntil("the last attempt on the laptop", () => attempts().includes("9"))
  expect(attempts()).toEqual(["2", "9"])
})
