import { execFileSync } from "node:child_process"
import { createHmac } from "node:crypto"
import type { Attempt } from "@sitewire/contracts"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { curlOf } from "./curl.ts"

needs(() => findProgram("openssl", "Debian: apt-get install openssl."))

const secret = "only-an-example"
const body = JSON.stringify({
  event: "site.ready",
  name: `O'Brien "& Söhne" \\ مخبز $HOME \u2028`,
  reference: "a\nb",
})
const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
const attempt = {
  url: "https://partner.example/it's?a=1&b=2",
  request_headers: {
    "content-type": "application/json",
    "X-Sitewire-Signature": `${signature.slice(0, 15)}…`,
    "X-Sitewire-Delivery": "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b",
  },
} as unknown as Attempt

const printArguments = `curl() { printf '%s\\0' "$@"; }\n`

const run = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: "utf8", env: { ...process.env, SITEWIRE_SECRET: secret } })

test("the shell commands send the exact body to the URL, with a valid signature", () => {
  const sent = run("bash", ["-c", printArguments + curlOf(attempt, body)]).split("\0")
  expect(sent).toContain(attempt.url)
  expect(sent).toContain(`X-Sitewire-Signature: ${signature}`)
  expect(sent).toContain("X-Sitewire-Delivery: 0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b")
  expect(sent[sent.indexOf("--data-binary") + 1]).toBe(body)
})

test("the names and values of a partner's own headers are not expanded by the shell, and get no signature of ours", () => {
  const own = { "`env`-signature": "a", "$(id)-signature": "b", "gateway-signature": "c", "it's": "$HOME" }
  const hostile = { ...attempt, request_headers: { ...attempt.request_headers, ...own } }
  const sent = run("bash", ["-c", printArguments + curlOf(hostile, body)]).split("\0")
  for (const [name, value] of Object.entries(own)) expect(sent).toContain(`${name}: ${value}`)
})
