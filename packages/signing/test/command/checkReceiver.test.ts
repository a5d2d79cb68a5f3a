import { expect, test } from "vitest"
import {
  command,
  hexOf,
  isSigned,
  isSignedByStandard,
  type Request,
  startReceiver,
  verifying,
} from "./receivers.ts"

const check = (url: string, ...options: string[]) =>
  command("check", url, "--secret-env", "SECRET", ...options)

/** The titles of the points with this result. */
const titles = (output: string, result: string) =>
  output.split("\n").flatMap((line) => (line.startsWith(result) ? [line.slice(result.length).trim()] : []))

test.each([
  ["X-Sitewire-Signature", isSigned],
  ["Standard Webhooks", (request: Request) => isSignedByStandard(request, 300)],
])("a correct receiver that verifies %s passes every point", async (_, accepts) => {
  const { url, received } = await startReceiver(verifying((request) => accepts(request)))
  const { code, output } = await check(url)
  expect(output).toContain("10 passed, 0 warning, 0 failed, 2 skipped.")
  expect(code).toBe(0)
  expect(titles(output, "skipped")).toEqual(["Rejects the retired secret", "Is ready for the rotation"])
  const last = JSON.parse(received.at(-1)?.body.toString() ?? "")
  expect(output).toContain(`${last.site_url} must be there once, with the name ${JSON.stringify(last.name)}`)
})

const sites = (accepts: (known: boolean) => boolean) => {
  const known = new Set<string>()
  return (request: Request) => {
    if (!isSigned(request)) return false
    const { site_url } = JSON.parse(request.body.toString())
    const accepted = accepts(known.has(site_url))
    known.add(site_url)
    return accepted
  }
}

test.each([
  [
    "accepts uppercase digits",
    ["Rejects uppercase hexadecimal digits"],
    ({ headers, body }: Request) =>
      String(headers["x-sitewire-signature"]).toLowerCase() === `sha256=${hexOf(body)}`,
  ],
  [
    "accepts an old time",
    ["Rejects an old timestamp"],
    (request: Request) => isSignedByStandard(request, Number.POSITIVE_INFINITY),
  ],
  [
    "rejects a site that it knows",
    ["Accepts the same delivery again", "Accepts one site under several deliveries"],
    sites((known) => !known),
  ],
  [
    "accepts everything",
    [
      "Rejects a forged signature",
      "Rejects a missing signature",
      "Verifies the raw body",
      "Rejects uppercase hexadecimal digits",
      "Rejects an old timestamp",
    ],
    () => true,
  ],
])("a receiver that %s fails exactly there", async (_, failed, accepts) => {
  const { url } = await startReceiver(verifying(accepts))
  const { code, output } = await check(url)
  expect(code).toBe(1)
  expect(titles(output, "failed")).toEqual(failed)
  expect(output.match(/Fix: /g)).toHaveLength(failed.length)
})

test("a retired secret must be rejected, and a staged one should be accepted", async () => {
  const options = ["--retired-secret-env", "RETIRED", "--staged-secret-env", "STAGED"]
  const all = (keys: string[]) => verifying((request) => keys.some((key) => isSigned(request, key)))
  const careless = await startReceiver(all(["the secret of these tests", "old"]))
  const { code, output } = await check(careless.url, ...options)
  expect(code).toBe(1)
  expect(titles(output, "failed")).toEqual(["Rejects the retired secret"])
  expect(titles(output, "warning")).toEqual(["Is ready for the rotation"])
  const ready = await startReceiver(all(["the secret of these tests", "next"]))
  const passed = await check(ready.url, ...options)
  expect(passed.output).toContain("12 passed")
  expect(passed.code).toBe(0)
})

test("without a response, nothing more is sent and everything else is skipped", async () => {
  const { code, output } = await check("http://127.0.0.1:1/")
  expect(code).toBe(1)
  expect(output).toContain("0 passed, 0 warning, 1 failed, 11 skipped.")
})
