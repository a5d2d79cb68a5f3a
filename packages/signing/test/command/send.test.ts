import { expect, test } from "vitest"
import { UsageError } from "../../bin/usageError.ts"
import {
  command,
  hexOf,
  isSigned,
  isSignedByStandard,
  secret,
  startReceiver,
  verifying,
} from "./receivers.ts"

const send = (url: string, ...options: string[]) => command("send", url, "--secret-env", "SECRET", ...options)
const careless = verifying(() => true)

test("send delivers what Sitewire delivers, signed in both ways and marked as a test", async () => {
  const { url, received } = await startReceiver(verifying(isSigned))
  const { code, output } = await send(url, "--channel", "acme")
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("204") })
  const [request, ...others] = received
  if (!request) throw new Error("nothing was received")
  expect(others).toEqual([])
  expect(isSignedByStandard(request, 60)).toBe(true)
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "x-sitewire-attempt": "1",
    "x-sitewire-test": "true",
    "webhook-id": request.headers["x-sitewire-delivery"],
  })
  const site = JSON.parse(request.body.toString())
  expect(Object.keys(site).join()).toBe("event,channel,reference,site_url,console_url,name,email,created_at")
  expect(site).toMatchObject({ event: "site.ready", channel: "acme", reference: "sitewire-test" })
  expect(output).toContain(site.site_url)
})

test("the secret can be given in its whsec_ form", async () => {
  const { url } = await startReceiver(verifying(isSigned))
  const form = `whsec_${Buffer.from(secret).toString("base64")}`
  expect(await command("send", url, "--secret", form)).toMatchObject({ code: 0 })
})

test("a repeated delivery has the same id and bytes, and a corrected one another id and name", async () => {
  const { url, received } = await startReceiver(verifying(isSigned))
  expect(await send(url, "--repeated")).toMatchObject({ code: 0 })
  expect(await send(url, "--corrected")).toMatchObject({ code: 0 })
  const [first, second, site, corrected] = received.map(({ headers, body }) => ({
    id: headers["x-sitewire-delivery"],
    attempt: headers["x-sitewire-attempt"],
    body: body.toString(),
  }))
  expect(second).toEqual({ ...first, attempt: "2" })
  expect(corrected?.id).not.toBe(site?.id)
  const [before, after] = [JSON.parse(site?.body ?? ""), JSON.parse(corrected?.body ?? "")]
  expect(after).toEqual({ ...before, name: expect.any(String) })
  expect(after.name).not.toBe(before.name)
})

test.each(["--forged", "--re-encoded", "--late"])("%s is what a correct receiver rejects", async (option) => {
  const correct = await startReceiver(verifying(isSigned))
  expect(await send(correct.url, option)).toMatchObject({ code: 0, output: expect.stringContaining("401") })
  expect(correct.received).toHaveLength(1)
  const { url } = await startReceiver(careless)
  const { code, output } = await send(url, option)
  expect(code).toBe(1)
  expect(output).toContain("204")
  expect(output).toContain("Fix: ")
})

test("--late has the correct signature of an hour ago: only a tolerance rejects it", async () => {
  const strict = await startReceiver(verifying((request) => isSignedByStandard(request, 300)))
  const lax = await startReceiver(verifying((request) => isSignedByStandard(request, 7_200)))
  expect(await send(strict.url, "--late")).toMatchObject({ code: 0 })
  expect(await send(lax.url, "--late")).toMatchObject({ code: 1 })
})

test("--re-encoded has the same JSON and the signature of other bytes", async () => {
  const { url, received } = await startReceiver((request, response) => {
    const again = Buffer.from(JSON.stringify(JSON.parse(request.body.toString())))
    response.writeHead(isSigned({ ...request, body: again }) ? 204 : 401).end()
  })
  expect(await send(url, "--re-encoded")).toMatchObject({ code: 1 })
  expect(received.map((request) => isSigned(request))).toEqual([false])
})

test("the response of a receiver is shown without the secret, a signature or control characters", async () => {
  const { url } = await startReceiver(({ body }, response) =>
    response.writeHead(500).end(`\u001b[2J${secret} gives ${hexOf(body)}`),
  )
  const { code, output } = await send(url)
  expect(code).toBe(1)
  expect(output).toContain("\\u001b[2J… gives …")
})

test.each([404, 405])("after a %s, the advice is to check the path", async (status) => {
  const { url } = await startReceiver((_, response) => response.writeHead(status).end())
  const { code, output } = await send(url)
  expect(code).toBe(1)
  expect(output).toContain("Fix:  Check the path of the URL")
  expect(output).not.toContain("current secret")
})

test("a receiver that is not there is named as the reason, and a redirect is not followed", async () => {
  expect(await send("http://127.0.0.1:1/webhook")).toMatchObject({
    code: 1,
    output: expect.stringContaining("start your receiver"),
  })
  const elsewhere = await startReceiver(careless)
  const { url } = await startReceiver((_, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  )
  expect(await send(url)).toMatchObject({ code: 1, output: expect.stringContaining("not followed") })
  expect(elsewhere.received).toEqual([])
})

test.each([
  [["send"], "URL"],
  [["send", "http://a.example/", "http://b.example/", "--secret-env", "SECRET"], "one URL"],
  [["send", "ftp://a.example/", "--secret-env", "SECRET"], "http or https"],
  [["send", "http://127.0.0.1/"], "--secret-env"],
  [["send", "http://127.0.0.1/", "--secret", "a", "--secret-env", "SECRET"], "either"],
  [["send", "http://127.0.0.1/", "--secret", ""], "empty"],
  [["send", "http://127.0.0.1/", "--secret-env", "UNSET_secret"], "not set"],
  [["send", "http://127.0.0.1/", "--secret-env", "SECRET", "--forged", "--late"], "at a time"],
  [["send", "http://127.0.0.1/", "--secret-env", "SECRET", "--service-name", "A b"], "one word"],
  [["send", "http://127.0.0.1/", "--secret-env", "SECRET", "--", "cat"], "Only check"],
  [["check", "http://127.0.0.1/", "--secret-env", "SECRET", "--late"], "option of send"],
  [["check", "http://127.0.0.1/", "--", "cat"], "alone"],
  [["check", "--"], "after --"],
  [["certify"], "send or check"],
  [["send", "--UNSET_secret"], "An option is unknown"],
  [["send", "--secretenv=UNSET_secret"], "--secretenv is unknown"],
  [["send", "http://127.0.0.1/", "--secret"], "--secret lacks its value"],
  [["send", "http://127.0.0.1/", "--secret", "whsec_UNSET_secret"], "whsec_ form is wrong"],
])("%j is incorrect usage", async (args, advice) => {
  const failure = await command(...args).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(UsageError)
  expect(String(failure)).toContain(advice)
  expect(String(failure)).not.toContain("UNSET_secret")
})
