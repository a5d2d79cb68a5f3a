import { sign } from "@sitewire/signing/sender"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { receiverFaultNames, startReceiver } from "../src/receivers/index.ts"
import { runCommand, startCommand } from "./fixtures/runCommand.ts"

const secret = "s3cret-of-this-test"
const body = Buffer.from(
  '{ "event": "site.ready",\n "name":"S\\u00f6hne / Gr\u00fcn \\u001b[2J \u202e\u2066"}',
)

function start(...args: string[]) {
  const command = startCommand(["listen", ...args], { env: { SECRET: secret } })
  onTestFinished(async () => {
    command.interrupt()
    await command.ended
  })
  return command
}

async function startListening(...args: string[]) {
  const command = start("--port", "0", ...args)
  const output = () => command.written.stdout
  const all = () => command.written.stderr + command.written.stdout
  const [, url = ""] = await waitUntil("listen to print its URL", () => /Listening on (\S+)/.exec(all()))
  return { command, url, output, all }
}

const deliver = (url: string, signature: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", headers: { "X-Sitewire-Signature": signature, ...headers }, body })

test("listen prints each delivery and its signature's validity, and exits with 0 when interrupted", async () => {
  const it = await startListening("--secret-env", "SECRET")
  expect((await deliver(`${it.url}ready?x=1`, sign(body, secret))).status).toBe(204)
  await waitUntil("the first verdict", () => it.output().includes("signature: valid"))
  expect(it.output()).toContain("POST /ready?x=1")
  expect(it.output()).toContain('\n  "event": "site.ready",\n')
  expect((await deliver(it.url, sign(body, "another"))).status).toBe(204)
  await waitUntil("the second verdict", () =>
    it.output().includes("signature: invalid: the secret did not sign these bytes"),
  )
  expect(it.all()).not.toContain(secret)
  expect(it.all()).not.toContain("\u001b[2J")
  expect(it.all()).not.toMatch(/\p{Bidi_Control}/u)
  it.command.interrupt()
  expect(await it.command.ended).toMatchObject({ code: 0 })
  await expect(fetch(it.url)).rejects.toThrow()
})

test("listen simulates the chosen fault, and still prints the delivery", async () => {
  const it = await startListening("--behave", "resets-after-body")
  await expect(fetch(it.url, { method: "POST", body: "hello" })).rejects.toThrow()
  await waitUntil("the delivery", () => it.output().includes("\nhello\n"))
  expect(it.output()).toContain("signature: not checked")
})

test("listen --list prints every fault and what is recorded for it, as a table and as JSON", async () => {
  const human = await runCommand(["listen", "--list"])
  const json = await runCommand(["listen", "--list", "--json"])
  expect(human.code).toBe(0)
  for (const name of receiverFaultNames) expect(human.stdout).toContain(name)
  expect(JSON.parse(json.stdout).map(({ name }: { name: string }) => name)).toEqual(receiverFaultNames)
  expect(human.stdout).toMatch(/redirects-inside +status +302 /)
})

test("listen reports that a port is in use", async () => {
  const it = await startListening()
  const result = await runCommand(["listen", "--port", new URL(it.url).port])
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("EADDRINUSE") })
})

test("a verified delivery is forwarded with its headers and bytes, and the response is passed back", async () => {
  const app = await startReceiver((_, response) => response.writeHead(418).end("short and stout"))
  onTestFinished(() => app.close())
  // With --json, the command does not print its URL.
  const port = await closedPort()
  const it = start(
    "--port",
    String(port),
    "--secret-env",
    "SECRET",
    "--forward",
    `${app.url}/hook?a=1`,
    "--json",
  )
  const signature = sign(body, secret)
  const headers = { "X-Sitewire-Delivery": "d-1", "Content-Type": "application/json" }
  const response = await waitUntil("listen to respond", () =>
    deliver(`http://127.0.0.1:${port}/elsewhere`, signature, headers).catch(() => null),
  )
  expect([response.status, await response.text()]).toEqual([418, "short and stout"])
  const [received] = app.received
  expect(received?.path).toBe("/hook?a=1")
  expect(received?.body.equals(body)).toBe(true)
  expect(received?.headers).toMatchObject({
    "x-sitewire-signature": signature,
    "x-sitewire-delivery": "d-1",
    "content-type": "application/json",
    "content-length": String(body.length),
    host: new URL(app.url).host,
  })
  const shown = await waitUntil("the output", () => it.written.stdout !== "" && JSON.parse(it.written.stdout))
  expect(shown).toMatchObject({
    signature: { valid: true },
    forwarded: { status: 418, error: null, body: "short and stout", ms: expect.any(Number) },
  })
})

test("a forged request is not forwarded, and an address that does not respond is reported", async () => {
  const app = await startReceiver()
  const it = await startListening("--secret-env", "SECRET", "--forward", app.url)
  expect((await deliver(it.url, sign(body, "another"))).status).toBe(401)
  expect((await deliver(it.url, "")).status).toBe(401)
  expect(app.received).toHaveLength(0)
  await app.close()
  expect((await deliver(it.url, sign(body, secret))).status).toBe(502)
  await waitUntil("the output", () =>
    it.output().includes("forwarded: no response: the connection was refused"),
  )
  expect(it.output()).toContain("signature: invalid")
})
