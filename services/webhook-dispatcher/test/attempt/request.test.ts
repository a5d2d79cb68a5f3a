import { createHmac } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { nonEmpty } from "../fixtures/nonEmpty.ts"
import {
  failsForLong,
  paid,
  scheduledForLong,
  secret,
  startInstallation,
} from "../fixtures/testDispatcher.ts"
import { waitForAttempts } from "../fixtures/waitForAttempts.ts"

const expectedSignature = (body: Buffer) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

test("a site.paid is delivered as site.ready: the eight fields in order, with a signature of the raw bytes", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", `${partner.url}/ready`)
  const dispatcher = await it.dispatcher()
  const reference = "r".repeat(16_384)
  await it.publishPaid([paid("shop-1", { reference })])
  const [request] = await waitUntil("the delivery", () => nonEmpty(partner.received))
  expect(request?.method).toBe("POST")
  expect(request?.path).toBe("/ready")
  expect(request?.body.toString()).toBe(
    `{"event":"site.ready","channel":"acme","reference":"${reference}","site_url":"https://shop-1.example",` +
      '"console_url":"https://console.shop-1.example","name":"Ünïcode & Söhne 店","email":"owner@shop.example",' +
      '"created_at":"2030-01-02T01:04:05+00:00"}',
  )
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    "x-sitewire-signature": expectedSignature(request?.body ?? Buffer.alloc(0)),
    "x-sitewire-attempt": "1",
    "user-agent": "Sitewire/1",
  })
  const [row] = await waitUntil("the record", async () => {
    return nonEmpty(await it.sql("select * from delivery where state = 'delivered'"))
  })
  expect(row).toMatchObject({ event_id: "shop-1", attempts: 1, id: request?.headers["x-sitewire-delivery"] })
  const attempts = await it.sql("select number, status, error, ip, url, request_headers from attempt")
  const sent = request?.headers ?? {}
  const shown = (name: string, length: number) => `${String(sent[name]).slice(0, length + 8)}…`
  expect(attempts).toEqual([
    {
      number: 1,
      status: 204,
      error: null,
      ip: "127.0.0.1",
      url: `${partner.url}/ready`,
      request_headers: [
        "content-type: application/json",
        `X-Sitewire-Signature: ${shown("x-sitewire-signature", "sha256=".length)}`,
        `X-Sitewire-Delivery: ${row?.id}`,
        "X-Sitewire-Attempt: 1",
        `webhook-id: ${row?.id}`,
        `webhook-timestamp: ${sent["webhook-timestamp"]}`,
        `webhook-signature: ${shown("webhook-signature", "v1,".length)}`,
        "",
      ].join("\n"),
    },
  ])
  expect(dispatcher.output()).not.toContain("owner@shop.example")
  expect(dispatcher.output()).not.toContain(secret)
  await partner.close()
})

test.each([
  ["a private address", { ALLOWED_RANGES: "" }],
  ["an address that the operator denies", { DENIED_RANGES: "127.0.0.1/32" }],
  ["a port that the operator does not allow", { ALLOWED_PORTS: "443" }],
])("%s is rejected and recorded, not called", async (_, variables) => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher(variables)
  await it.publishPaid([paid("shop-1")])
  const rows = await waitUntil("the record", async () => {
    return nonEmpty(await it.sql("select error, status from attempt"))
  })
  expect(rows[0]).toEqual({ error: "blocked-address", status: null })
  expect(partner.received).toHaveLength(0)
  await partner.close()
})

test("the stored bytes are signed and sent, and not a new serialization of them", async () => {
  await using it = await startInstallation({ retryDelaysMs: scheduledForLong })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before ? 200 : 503, failsForLong).end()
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitForAttempts(it, 1)
  const stored = Buffer.from('{ "name" : "\\u00dcn\\u00efcode", "event":"site.ready" }\n')
  await it.sql("update delivery set body = $1", [stored])
  await it.sql("update waiting_delivery set next_attempt_at = now()")
  await waitUntil("the retry", () => partner.received.length === 2)
  expect(partner.received[1]?.body.toString()).toBe(stored.toString())
  const expected = `sha256=${createHmac("sha256", secret).update(stored).digest("hex")}`
  expect(partner.received[1]?.headers["x-sitewire-signature"]).toBe(expected)
  await partner.close()
})
