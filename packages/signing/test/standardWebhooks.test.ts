import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { standardWebhooksHeaders, standardWebhooksSecret } from "../src/sender/index.ts"

// printf 'dlv_1.1769851800.{"event":"site.ready","name":"Bäckerei"}' |
//   openssl dgst -sha256 -mac HMAC -macopt hexkey:<the secret's bytes> -binary | base64
const message = { id: "dlv_1", timestamp: 1769851800, body: '{"event":"site.ready","name":"Bäckerei"}' }
const secrets = ["9f2c7b41d05e4a6e8c13ab77f0d92e54", "schlüssel-🔑"] as const
const signatures = [
  "v1,ETK0MufhkAp66i3N/m9ESl6cZoY38L/yVSuAEhvRakY=",
  "v1,ESWRH9je47GJBhSUDa4zahARTpafq2fdW3fsbYz519A=",
] as const

test("the headers carry what openssl computes, one signature for each secret in order", () => {
  expect(standardWebhooksHeaders({ ...message, secrets })).toEqual({
    "webhook-id": "dlv_1",
    "webhook-timestamp": "1769851800",
    "webhook-signature": signatures.join(" "),
  })
  const one = standardWebhooksHeaders({ ...message, body: Buffer.from(message.body), secrets: [secrets[1]] })
  expect(one["webhook-signature"]).toBe(signatures[1])
})

test("the public standardwebhooks library accepts the headers with either secret of a rotation, and no changed body", () => {
  const now = { ...message, timestamp: Math.floor(Date.now() / 1000) }
  const headers = standardWebhooksHeaders({ ...now, secrets })
  for (const secret of secrets) {
    const webhook = new Webhook(standardWebhooksSecret(secret))
    expect(webhook.verify(message.body, headers)).toEqual(JSON.parse(message.body))
    expect(() => webhook.verify(`${message.body} `, headers)).toThrow()
  }
})

test("the whsec_ form is base64 of the secret's UTF-8 bytes", () => {
  expect(standardWebhooksSecret(secrets[0])).toBe("whsec_OWYyYzdiNDFkMDVlNGE2ZThjMTNhYjc3ZjBkOTJlNTQ=")
  expect(standardWebhooksSecret(secrets[1])).toBe("whsec_c2NobMO8c3NlbC3wn5SR")
})

test("an id or timestamp that receivers would misread is refused", () => {
  for (const id of ["", "a.b", "a b", "ä", "a\n"]) {
    expect(() => standardWebhooksHeaders({ ...message, id, secrets })).toThrow("webhook id")
  }
  for (const timestamp of [1769851800123, 1.5, -1, Number.NaN]) {
    expect(() => standardWebhooksHeaders({ ...message, timestamp, secrets })).toThrow("whole seconds")
  }
  expect(() => standardWebhooksHeaders({ ...message, secrets: [] })).toThrow("No signing secret")
})
