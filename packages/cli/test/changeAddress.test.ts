import type { ServerResponse } from "node:http"
import type { Channel } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type Received, startReceiver } from "../src/receivers/index.ts"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startSystem } from "./fixtures/startSystem.ts"

let system: Awaited<ReturnType<typeof startSystem>>
beforeAll(async () => {
  system = await startSystem(
    (_, response) => void response.writeHead(204).end(),
    {},
    { services: ["dispatcher"] },
  )
})
afterAll(() => system?.stop())

const asOperator = (...args: string[]) => runCommand(args, { env: system.cliEnv })

/** A channel whose partner may change the address, and what its partner runs. */
async function channel(id: string, switched = "on") {
  const old = await receiver((_, response) => void response.writeHead(204).end())
  const args = ["--id", id, "--address", old.url, "--partner-may-change-address", switched]
  const { signing_secret } = await runJson<{ signing_secret: string }>(["channel", "create", ...args], {
    env: system.cliEnv,
  })
  const env = { ...system.cliEnv, SITEWIRE_API_KEY: await system.createKey(id, `channel:${id}`) }
  return {
    old,
    secret: signing_secret,
    /** As the partner. */
    changeTo: (address: string, of = id) =>
      runCommand(["channel", "change-address", of, "--address", address], { env }),
    address: async () =>
      (await runJson<Channel>(["channel", "show", id], { env: system.cliEnv })).address.replace(/\/$/, ""),
  }
}

async function receiver(respond: (request: Received, response: ServerResponse) => unknown) {
  const started = await startReceiver(respond)
  onTestFinished(() => started.close())
  return started
}

const returned = ({ headers }: Received) => ({
  "X-Sitewire-Challenge": String(headers["x-sitewire-challenge"]),
})
const answering = () => receiver((request, response) => response.writeHead(204, returned(request)).end())

test("deliveries go to the new address when its receiver has returned the challenge, and before to the old one", async () => {
  const acme = await channel("acme")
  const during: string[] = []
  const next = await receiver(async (request, response) => {
    during.push(await acme.address())
    response.writeHead(204, returned(request)).end()
  })
  const publish = () => asOperator("event", "publish", "--channel", "acme")
  await publish()
  await waitUntil("the first delivery", () => acme.old.received.length === 1)

  expect(await acme.changeTo(next.url)).toMatchObject({ code: 0, stderr: "" })
  expect(during).toEqual([acme.old.url])
  expect(await acme.address()).toBe(next.url)
  const [challenge] = next.received
  if (!challenge) throw new Error("there was no challenge")
  const header = challenge.headers["x-sitewire-signature"] as string | undefined
  expect(verify({ body: challenge.body, header, secrets: [acme.secret] }).valid).toBe(true)
  expect(challenge.headers["x-sitewire-test"]).toBe("true")
  const value = String(challenge.headers["x-sitewire-challenge"])
  expect(value).toMatch(/^[\w-]{43}$/)

  await publish()
  await waitUntil("the delivery to the new address", () => next.received.length === 2)
  expect(next.received[1]?.headers["x-sitewire-challenge"]).toBeUndefined()
  expect(acme.old.received).toHaveLength(1)

  const { sql } = system.installation
  const audit = await sql(
    "select key_name, changes from audit_entry where operation = 'changeAddress' and target_id = 'acme' order by created_at",
  )
  expect(audit).toMatchObject([
    { key_name: "acme", changes: { challenged: { new: `${next.url}/` } } },
    { key_name: "acme", changes: { address: { old: `${acme.old.url}/`, new: `${next.url}/` } } },
  ])
  const rows = await sql(
    "select c::text, (select string_agg(a::text, '') from audit_entry a) from receiver_check c",
  )
  expect(JSON.stringify(rows) + system.log()).not.toContain(value)
})

const wrong: [string, (request: Received, response: ServerResponse) => unknown, string][] = [
  ["no value", (_, response) => response.writeHead(204).end(), "did not return the value of the header"],
  [
    "another value",
    (_, response) => response.writeHead(200, { "X-Sitewire-Challenge": "x" }).end("marked"),
    "did not return the value of the header",
  ],
  [
    "it in the body",
    (request, response) => response.end(JSON.stringify(returned(request))),
    "did not return",
  ],
  [
    "it with another status",
    (request, response) => response.writeHead(500, returned(request)).end("marked"),
    "responded 500",
  ],
  [
    "it with a redirect",
    (request, response) =>
      response.writeHead(307, { ...returned(request), location: `${system.partner.url}/marked` }).end(),
    "responded 307",
  ],
  ["nothing", (_, response) => response.destroy(), "closed the connection without a response"],
]

test.each(wrong.map(([what, ...rest], at) => [what, at, ...rest] as const))(
  "a receiver that returns %s leaves the address, and its partner learns the status and no content",
  async (_, at, respond, expected) => {
    const wrongly = await channel(`wrong-${at}`)
    const next = await receiver(respond)
    const { code, stdout, stderr } = await wrongly.changeTo(next.url)
    expect(code).toBe(1)
    expect(stderr).toContain(expected)
    expect(stdout + stderr).not.toContain("marked")
    expect(await wrongly.address()).toBe(wrongly.old.url)
    expect(next.received).toHaveLength(1)
    expect(system.partner.received).toEqual([])
  },
)

test("a partner who is not allowed, or whose channel it is not, has nothing sent", async () => {
  const next = await answering()
  const denied = await channel("denied", "off")
  const allowed = await channel("allowed")
  expect(await denied.changeTo(next.url)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Ask the operator"),
  })
  expect(await denied.changeTo(next.url, "allowed")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no channel "allowed"'),
  })
  expect(next.received).toEqual([])
  expect([await denied.address(), await allowed.address()]).toEqual([denied.old.url, allowed.old.url])
})

test.each([
  ["forbids it", "partner_may_change_address = false", "Ask the operator"],
  ["changes the channel", "updated_at = now()", "was changed meanwhile"],
])("if an operator %s during the challenge, the address stays", async (_, change, expected) => {
  const id = `meanwhile-${expected.length}`
  const acme = await channel(id)
  const next = await receiver(async (request, response) => {
    await system.installation.sql(`update channel set ${change} where id = $1`, [id])
    response.writeHead(204, returned(request)).end()
  })
  expect(await acme.changeTo(next.url)).toMatchObject({ code: 1, stderr: expect.stringContaining(expected) })
  expect(await acme.address()).toBe(acme.old.url)
})
