import fc from "fast-check"
import { expect, onTestFinished, test, vi } from "vitest"
import { constructEvent, WebhookError } from "../src/index.ts"
import { exampleEvent, signDelivery } from "../src/testing.ts"
import { deliveries, secretForms } from "./vectors.ts"

const secret = "a secret"
const schemes = ["sitewire", "standard-webhooks"] as const
const faultOf = (call: Promise<unknown>) =>
  call.then(
    () => "none",
    (error) => (error instanceof WebhookError ? error.fault : error),
  )

test.each([...deliveries, ...secretForms])("vector: $name", async (vector) => {
  const { scheme, now, secrets, headers, body, event, fault } = vector
  const construct = (given: Parameters<typeof constructEvent>[1]) =>
    constructEvent(Buffer.from(body, "base64"), given, secrets, { scheme, now })
  if (vector.refused) {
    await expect(construct(headers)).rejects.toThrow(TypeError)
    return
  }
  expect(await faultOf(construct(headers))).toBe(fault ?? "none")
  if (event !== undefined)
    expect(await construct(headers)).toEqual({ ...event, delivery: expect.any(String) })
  // `Headers` trims values and rejects those beyond Latin-1, so the others are those that it can carry.
  const carried = Object.values(headers).every((value) => /^[!-~]( ?[!-~])*$/.test(value) || value === "")
  if (carried) expect(await faultOf(construct(new Headers(headers)))).toBe(fault ?? "none")
})

test("the vectors cover each outcome with each scheme", () => {
  const outcomes = new Set(deliveries.map(({ scheme, fault }) => `${scheme} ${fault ?? "event"}`))
  for (const outcome of ["event", "missing", "malformed", "mismatch"])
    for (const scheme of schemes) expect(outcomes).toContain(`${scheme} ${outcome}`)
  for (const outcome of ["standard-webhooks outdated", "sitewire invalid-body"])
    expect(outcomes).toContain(outcome)
})

test("whatever bytes the helper signs are verified, and with one bit changed they are not", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.string({ minLength: 1 }),
      fc.nat(),
      fc.constantFrom(...schemes),
      async (bytes, key, bit, scheme) => {
        const { body, headers } = await signDelivery(bytes, key)
        expect(await faultOf(constructEvent(body, headers, [key], { scheme }))).toMatch(
          /^(none|invalid-body)$/,
        )
        const index = bit % (body.length * 8)
        body[index >> 3] = (body[index >> 3] ?? 0) ^ (1 << (index & 7))
        expect(await faultOf(constructEvent(body, headers, [key], { scheme }))).toBe("mismatch")
      },
    ),
  )
})

test("whatever the headers are, the only error is a WebhookError that repeats nothing of them", async () => {
  const name = fc.constantFrom(
    "X-Sitewire-Signature",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "get",
  )
  const marked = fc.string().map((text) => `marked${text}`)
  const value = fc.oneof(marked, fc.string(), fc.array(fc.string()), fc.constant(undefined))
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), fc.constantFrom(...schemes), async (headers, scheme) => {
      const error = await constructEvent(new Uint8Array(), headers, [secret], { scheme }).catch(
        (thrown) => thrown,
      )
      expect(error).toBeInstanceOf(WebhookError)
      expect(error.message).not.toContain("marked")
    }),
  )
})

test("hostile content is a WebhookError without delay", async () => {
  const nested = "[".repeat(1_000_000)
  for (const content of [nested, `${nested}${"]".repeat(1_000_000)}`, "x".repeat(5_000_000)]) {
    const { body, headers } = await signDelivery(content, secret)
    expect(await faultOf(constructEvent(body, headers, [secret]))).toBe("invalid-body")
  }
  for (const huge of ["v1,x ".repeat(1_000_000), `v1,${"x".repeat(5_000_000)}`, "\0".repeat(5_000_000)]) {
    const { body, headers } = await signDelivery({}, secret)
    const given = { ...headers, "X-Sitewire-Signature": huge, "webhook-signature": huge }
    for (const scheme of schemes)
      expect(await faultOf(constructEvent(body, given, [secret], { scheme }))).toMatch(/malformed|mismatch/)
  }
})

test("a header in a list, or twice, is malformed", async () => {
  const { body, headers } = await signDelivery({}, secret)
  const value = headers["X-Sitewire-Signature"]
  if (value === undefined) throw new Error("not signed")
  for (const given of [[value], [value, value], []])
    expect(await faultOf(constructEvent(body, { "X-Sitewire-Signature": given }, [secret]))).toBe("malformed")
  const twice = { "X-Sitewire-Signature": value, "x-sitewire-signature": value }
  expect(await faultOf(constructEvent(body, twice, [secret]))).toBe("malformed")
  const listed = { ...headers, "webhook-id": ["a"] }
  expect(await faultOf(constructEvent(body, listed, [secret], { scheme: "standard-webhooks" }))).toBe(
    "malformed",
  )
})

test("every secret is tried, also after one has matched, so that the time does not reveal which", async () => {
  const { body, headers } = await signDelivery({}, secret)
  const signing = vi.spyOn(crypto.subtle, "sign")
  onTestFinished(() => signing.mockRestore())
  for (const scheme of schemes) {
    signing.mockClear()
    await constructEvent(body, headers, [secret, "b", "c"], { scheme })
    expect(signing).toHaveBeenCalledTimes(3)
  }
})

test("the body may be an ArrayBuffer, or a part of a larger one", async () => {
  const event = { ...exampleEvent, delivery: "d1" }
  const { body, headers } = await signDelivery(event, secret)
  expect(await constructEvent(body.buffer, headers, [secret])).toEqual(event)
  const part = Uint8Array.from([1, ...body, 2]).subarray(1, -1)
  expect(await constructEvent(part, headers, [secret])).toEqual(event)
})

test("the tolerance and the name of the header can be set", async () => {
  const { body, headers } = await signDelivery({}, secret, { timestamp: 1_772_366_400 })
  const at = (now: number, toleranceSeconds: number) =>
    faultOf(constructEvent(body, headers, [secret], { scheme: "standard-webhooks", now, toleranceSeconds }))
  expect(await at(1_772_366_410, 10)).toBe("none")
  expect(await at(1_772_366_411, 10)).toBe("outdated")
  const { "X-Sitewire-Signature": signature, ...others } = headers
  const renamed = { ...others, "X-Acme-Signature": signature }
  expect(await constructEvent(body, renamed, [secret], { header: "X-Acme-Signature" })).toEqual(exampleEvent)
  expect(await faultOf(constructEvent(body, renamed, [secret]))).toBe("missing")
})

test("the event has the id of its delivery", async () => {
  const { body, headers } = await signDelivery({ delivery: "d1" }, secret)
  const signature = headers["X-Sitewire-Signature"]
  const deliveryOf = async (changed: Record<string, string | string[] | undefined>, options = {}) =>
    (await constructEvent(body, { ...headers, ...changed }, [secret], options)).delivery
  expect(await deliveryOf({ "webhook-id": undefined })).toBe("d1")
  expect(await deliveryOf({ "X-Sitewire-Delivery": "d2" }, { scheme: "standard-webhooks" })).toBe("d1")
  const renamed = { "X-Shop-Signature": signature, "X-Shop-Delivery": "d3" }
  expect(await deliveryOf(renamed, { header: "x-shop-signature" })).toBe("d3")
  expect(await deliveryOf({ "X-Proof": signature }, { header: "X-Proof" })).toBe("")
  expect(await deliveryOf({ "X-Sitewire-Delivery": undefined })).toBe("")
  expect(await deliveryOf({ "X-Sitewire-Delivery": ["d1", "d2"] })).toBe("")
})

test("a fault of the receiver is a TypeError that says what to do", async () => {
  const { body, headers } = await signDelivery({}, secret)
  const construct = (...args: unknown[]) =>
    constructEvent(
      ...([body, headers, [secret]].map((usual, index) => args[index] ?? usual) as [never, never, never]),
      args[3] as never,
    )
  const faults: [given: unknown[], message: RegExp][] = [
    [[{ event: "site.ready" }], /was parsed.*Take them before any parser/],
    [["text"], /was parsed/],
    [[undefined, undefined, []], /No signing secret/],
    [[undefined, undefined, secret], /No signing secret/],
    [[undefined, undefined, [secret, ""]], /empty/],
    [[undefined, undefined, [secret, undefined]], /empty/],
    [[undefined, undefined, [7]], /not a text/],
    [[undefined, undefined, undefined, { scheme: "standard" }], /scheme is unknown/],
    [[undefined, undefined, undefined, { header: "X Signature" }], /name of a header/],
    [
      [undefined, undefined, undefined, { scheme: "standard-webhooks", toleranceSeconds: Number.NaN }],
      /number of seconds/,
    ],
  ]
  for (const [given, message] of faults) {
    const error = await construct(...given).catch((thrown) => thrown)
    expect(error, String(message)).toBeInstanceOf(TypeError)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain(secret)
  }
})
