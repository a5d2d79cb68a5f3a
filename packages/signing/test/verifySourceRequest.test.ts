import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { verifySourceRequest, WebhookError } from "../src/index.ts"
import { sourceRequestHeaders, standardWebhooksSecret } from "../src/sender/index.ts"
import { sources } from "./vectors.ts"

const method = "GET"
const url = "https://api.partner.example/items?shop=bakery"
const secret = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
const signedNow = () =>
  sourceRequestHeaders({
    id: "bakery_7",
    timestamp: Math.floor(Date.now() / 1_000),
    method,
    url,
    secrets: [secret],
  })

test.each(sources)("vector: $name", async ({ method, url, headers, secrets, now, fault }) => {
  const verified = verifySourceRequest(method, url, headers, secrets, { now })
  if (fault === undefined) await verified
  else await expect(verified).rejects.toMatchObject({ name: "WebhookError", fault })
})

test("the vectors cover each outcome", () => {
  const outcomes = new Set(sources.map(({ fault }) => fault))
  expect(outcomes).toEqual(new Set([undefined, "missing", "malformed", "outdated", "mismatch"]))
})

test("by default, the time is this machine's, and the tolerance 300 seconds", async () => {
  await verifySourceRequest(method, url, new Headers(signedNow()), ["sws_old", secret])
  const later = verifySourceRequest(method, url, signedNow(), [secret], { now: Date.now() / 1_000 + 302 })
  await expect(later).rejects.toBeInstanceOf(WebhookError)
  await expect(verifySourceRequest(method, url, signedNow(), [""])).rejects.toBeInstanceOf(TypeError)
  const wrong = verifySourceRequest(method, url, signedNow(), [secret], { toleranceSeconds: Number.NaN })
  await expect(wrong).rejects.toBeInstanceOf(TypeError)
})

test("the public standardwebhooks library verifies a request as the text of its method and URL", () => {
  const headers = signedNow()
  const webhook = new Webhook(standardWebhooksSecret(secret))
  expect(webhook.verify(`"${method} ${url}"`, headers)).toBe(`${method} ${url}`)
  expect(() => webhook.verify(`"${method} ${url}&page=2"`, headers)).toThrow()
})
