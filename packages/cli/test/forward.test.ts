import { spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { sign } from "@sitewire/signing"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const secret = "s3cret-of-this-test"
const body = Buffer.from('{ "event": "site.ready",\n "name":"S\\u00f6hne / Gr\u00fcn" }')

async function startForwarding(target: string, ...more: string[]) {
  const args = ["listen", "--port", "0", "--secret-env", "SECRET", "--forward", target, ...more]
  const child = spawn(process.execPath, [main, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
  })
  return { output: () => output }
}

const deliver = (url: string, signature: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", headers: { "X-Sitewire-Signature": signature, ...headers }, body })

test("a verified delivery is forwarded with its headers and bytes, and the response is passed back", async () => {
  const app = await startReceiver((_, response) => response.writeHead(418).end("short and stout"))
  onTestFinished(() => app.close())
  const port = await closedPort()
  const it = await startForwarding(`${app.url}/hook?a=1`, "--port", String(port), "--json")
  const url = `http://127.0.0.1:${port}/elsewhere`
  const signature = sign(body, secret)
  const response = await waitUntil("listen to respond", () =>
    deliver(url, signature, { "X-Sitewire-Delivery": "d-1", "Content-Type": "application/json" }).catch(
      () => null,
    ),
  )
  expect({ status: response.status, text: await response.text() }).toEqual({
    status: 418,
    text: "short and stout",
  })
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
  const shown = await waitUntil("the output", () => (it.output() === "" ? null : JSON.parse(it.output())))
  expect(shown).toMatchObject({
    signature: { valid: true },
    forwarded: { status: 418, error: null, body: "short and stout", ms: expect.any(Number) },
  })
})

test("a forged request is not forwarded, and an address that does not respond is reported", async () => {
  const app = await startReceiver()
  const port = await closedPort()
  const it = await startForwarding(app.url, "--port", String(port))
  const url = `http://127.0.0.1:${port}/`
  const forged = await waitUntil("listen to respond", () =>
    deliver(url, sign(body, "another")).catch(() => null),
  )
  expect(forged.status).toBe(401)
  expect((await deliver(url, "")).status).toBe(401)
  expect(app.received).toHaveLength(0)
  await app.close()
  expect((await deliver(url, sign(body, secret))).status).toBe(502)
  await waitUntil("the output", () =>
    it.output().includes("forwarded: no response: the connection was refused"),
  )
  expect(it.output()).toContain("signature: invalid")
})
