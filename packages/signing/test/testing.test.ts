import { expect, test } from "vitest"
import { sign, standardWebhooksHeaders } from "../src/sender/index.ts"
import { exampleEvent, signDelivery } from "../src/testing.ts"

const secret = "schlüssel-🔑"

test("a signed delivery has the headers that the sender sends", async () => {
  const { body, headers } = await signDelivery({ name: "Bäckerei" }, secret, {
    id: "d1",
    timestamp: 1_772_366_400,
  })
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ ...exampleEvent, name: "Bäckerei" })
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
