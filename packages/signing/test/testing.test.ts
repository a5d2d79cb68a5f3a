import { expect, test } from "vitest"
import { sign, standardWebhooksHeaders } from "../src/sender/index.ts"
import { exampleEvent, signDelivery } from "../src/testing.ts"

const secret = "schlüssel-🔑"

test("a signed delivery has the headers that the sender sends", async () => {
  const { body, headers } = await signDelivery({ name: "Bäckerei" }, secret, {
    id: "d1",
    timestamp: 1_772_366_400,
  })
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({
    ...exampleEvent,
    name: "Bäckerei",
    delivery: undefined,
  })
  expect(headers).toEqual({
    "Content-Type": "application/json",
    "X-Sitewire-Signature": sign(body, secret),
    "X-Sitewire-Delivery": "d1",
    "X-Sitewire-Attempt": "1",
    ...standardWebhooksHeaders({ id: "d1", timestamp: 1_772_366_400, body, secrets: [secret] }),
  })
})

test("a body is signed as it is, as text and as bytes", async () => {
  for (const content of ["not JSON", new TextEncoder().encode("not JSON")])
    expect(Buffer.from((await signDelivery(content, secret)).body).toString()).toBe("not JSON")
  await expect(signDelivery({}, "")).rejects.toBeInstanceOf(TypeError)
})

test("the id of each delivery is greater than those before", async () => {
  const ids: string[] = []
  for (let n = 0; n < 99; n++) ids.push((await signDelivery({}, secret)).headers["webhook-id"] ?? "")
  expect(new Set(ids).size).toBe(99)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const time = Number.parseInt(ids[0]?.replace("-", "").slice(0, 12) ?? "", 16)
  expect(Math.abs(time - Date.now())).toBeLessThan(60_000)
})
