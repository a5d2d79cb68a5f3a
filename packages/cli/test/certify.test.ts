import type { Certification, Channel, TestDelivery } from "@sitewire/contracts"
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

/** A channel with a receiver that verifies signatures by the channel's secret. */
async function verifiedChannel(id: string) {
  let secret = ""
  const receiver = await startReceiver((request, response) => {
    response.writeHead(isSigned(request, secret) ? 204 : 401).end()
  })
  onTestFinished(() => receiver.close())
  secret = await createChannel(id, receiver.url)
  return receiver
}

const isSigned = ({ headers, body }: Received, secret: string) =>
  verify({ body, header: headers["x-sitewire-signature"] as string | undefined, secrets: [secret] }).valid

test("a correct receiver is tested and certified, and the channel shows it", async () => {
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

  const certified = await run("certify", "correct")
  expect(certified.stderr).toMatch(/^crt_\w+ certifies http:.*\npassed +Accepts a genuine delivery\n/)
  expect(certified.stdout).toMatch(/^result: +passed$/m)
  expect(certified.stdout).toMatch(/7 passed, 0 warning, 0 failed, 2 skipped\.\n$/)
  expect(certified.code).toBe(0)
  const shown: Channel = JSON.parse((await run("channel", "show", "correct", "--json")).stdout)
  expect(shown.last_certification).toMatchObject({ result: "passed", address: shown.address })
  expect((await run("channel", "show", "correct")).stdout).toMatch(/^certification: +passed at /m)
})

test("a receiver that accepts everything fails, and the report has code that fixes it", async () => {
  await verifiedChannel("careless")
  const args = ["certify", "careless", "--address", system.partner.url, "--language", "python"]
  const { code, stdout } = await run(...args)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^failed +Rejects a forged signature$/m)
  expect(stdout).toContain("hmac.compare_digest")
  expect(stdout).toContain("Fix:   ")
  const again = await run(...args, "--json")
  expect(again).toMatchObject({ code: 1, stderr: "" })
  const report: Certification = JSON.parse(again.stdout)
  expect(report.points.filter(({ result }) => result === "failed").map(({ id }) => id)).toEqual([
    "forged-signature",
    "missing-signature",
    "re-encoded-body",
  ])
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
