import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { sign } from "@sitewire/signing"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { receiverFaultNames } from "../src/receivers/index.ts"
import { runCli } from "./fixtures/runCli.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

async function startListening(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, "listen", "--port", "0", ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  }
  const [, url = ""] = await waitUntil("listen to print its URL", () => /Listening on (\S+)/.exec(output))
  return { child, url, output: () => output }
}

test("listen prints each delivery and its signature's validity, and exits with 0 when interrupted", async () => {
  const it = await startListening(["--secret-env", "SECRET"], { SECRET: "s3cret-of-this-test" })
  const body = '{"event":"site.ready","name":"Söhne \\u001b[2J \u202e\u2066"}'
  const deliver = (signature: string) =>
    fetch(`${it.url}ready?x=1`, { method: "POST", headers: { "X-Sitewire-Signature": signature }, body })
  expect((await deliver(sign(body, "s3cret-of-this-test"))).status).toBe(204)
  await waitUntil("the first verdict", () => it.output().includes("signature: valid"))
  expect(it.output()).toContain("POST /ready?x=1")
  expect(it.output()).toContain('\n  "event": "site.ready",\n')
  expect((await deliver(sign(body, "another"))).status).toBe(204)
  await waitUntil("the second verdict", () =>
    it.output().includes("signature: invalid: the secret did not sign these bytes"),
  )
  expect(it.output()).not.toContain("s3cret-of-this-test")
  expect(it.output()).not.toContain("\u001b[2J")
  expect(it.output()).not.toMatch(/\p{Bidi_Control}/u)
  it.child.kill("SIGINT")
  expect(await once(it.child, "exit")).toEqual([0, null])
})

test("listen simulates the chosen fault, and still prints the delivery", async () => {
  const it = await startListening(["--behave", "resets-after-body"])
  await expect(fetch(it.url, { method: "POST", body: "hello" })).rejects.toThrow()
  await waitUntil("the delivery", () => it.output().includes("\nhello\n"))
  expect(it.output()).toContain("signature: not checked")
})

test("listen --list prints every fault and what is recorded for it, as a table and as JSON", async () => {
  const [human, json] = await Promise.all([
    runCli(["listen", "--list"]),
    runCli(["listen", "--list", "--json"]),
  ])
  expect(human.code).toBe(0)
  for (const name of receiverFaultNames) expect(human.stdout).toContain(name)
  expect(JSON.parse(json.stdout).map(({ name }: { name: string }) => name)).toEqual(receiverFaultNames)
  expect(human.stdout).toMatch(/redirects-inside +status +302 /)
})

test("listen reports that a port is in use", async () => {
  const it = await startListening([])
  const result = await runCli(["listen", "--port", new URL(it.url).port])
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("EADDRINUSE") })
})
