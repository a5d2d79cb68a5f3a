import type { TestDelivery } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type Received, startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
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

const run = (...args: string[]) => runCommand(args, { env: system.cliEnv })

async function createChannel(id: string, address: string): Promise<string> {
  const { stdout } = await run("channel", "create", "--id", id, "--address", address, "--json")
  return JSON.parse(stdout).signing_secret
}

/** A channel with a receiver that verifies signatures by `secret`: at first, the channel's. */
async function verifiedChannel(id: string) {
  const receiver = await startReceiver((request, response) => {
    response.writeHead(isSigned(request, verified.secret) ? 204 : 401).end()
  })
  onTestFinished(() => receiver.close())
  const verified = { ...receiver, secret: await createChannel(id, receiver.url) }
  return verified
}

const isSigned = ({ headers, body }: Received, secret: string) =>
  verify({ body, header: headers["x-sitewire-signature"] as string | undefined, secrets: [secret] }).valid

test("a receiver is tested, and does not accept the staged secret, so that it is activated only by force", async () => {
  const receiver = await verifiedChannel("correct")
  const tested = await run("channel", "test", "correct", "--json")
  expect(tested).toMatchObject({ code: 0, stderr: "" })
  const { delivery, attempt }: TestDelivery = JSON.parse(tested.stdout)
  expect(attempt).toMatchObject({ number: 1, status: 204, error: null, ip: "127.0.0.1" })
  expect(receiver.received).toHaveLength(1)
  expect(receiver.received[0]?.headers).toMatchObject({
    "x-sitewire-delivery": delivery,
    "x-sitewire-test": "true",
  })

  const staged = JSON.parse((await run("channel", "secret", "stage", "correct", "--json")).stdout)
  const rejected = await run("channel", "secret", "test", "correct", "--json")
  expect(rejected.code).toBe(1)
  expect(JSON.parse(rejected.stdout)).toMatchObject({
    attempt: { status: 401, secret_id: staged.other_secret.id },
  })
  const shown = await run("channel", "show", "correct")
  expect(shown.stdout).toMatch(/^other secret's test: +not accepted \(401\)$/m)
  const activated = await run("channel", "secret", "activate", "correct", "--yes")
  expect(activated).toMatchObject({ code: 1, stderr: expect.stringContaining("--force") })

  receiver.secret = staged.staged_secret
  expect((await run("channel", "secret", "test", "correct")).code).toBe(0)
  expect((await run("channel", "secret", "activate", "correct", "--yes")).code).toBe(0)
})

test("a test that the receiver does not accept has exit code 1 and shows why", async () => {
  const receiver = await startReceiver((_, response) => response.writeHead(500).end("out of order"))
  onTestFinished(() => receiver.close())
  await createChannel("broken", receiver.url)
  const { code, stdout } = await run("channel", "test", "broken")
  expect(code).toBe(1)
  expect(stdout).toMatch(/^outcome: +failed\nstatus: +500\nerror: +status$/m)
  expect(stdout).toMatch(/^response: +out of order$/m)
})
