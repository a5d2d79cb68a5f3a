import { expect, test } from "vitest"
import { type SitePaid, sitePaidSchema } from "./sitePaid.ts"
import { siteReadyBody, siteReadySchema } from "./siteReady.ts"

const event: SitePaid = {
  id: "evt-1",
  channel: "acme",
  reference: 'a "quoted" reference',
  site_url: "https://shop.example/?a=1&b=2",
  console_url: "https://console.example",
  name: "Ünïcode 店 \u2028",
  email: "owner@shop.example",
  created_at: "2030-06-01T01:30:00.999+02:00",
}

test("the body contains exactly the contract's eight fields, in its order", () => {
  const body = JSON.parse(siteReadyBody(event).toString("utf8"))
  expect(Object.keys(body)).toEqual([
    "event",
    "channel",
    "reference",
    "site_url",
    "console_url",
    "name",
    "email",
    "created_at",
  ])
  expect(siteReadySchema.strict().parse(body)).toEqual(body)
  expect(body).toMatchObject({ event: "site.ready", name: event.name, reference: event.reference })
})

test.each([
  ["2030-06-01T01:30:00.999+02:00", "2030-05-31T23:30:00+00:00"],
  ["2030-06-01T01:30:00Z", "2030-06-01T01:30:00+00:00"],
  ["2030-12-31T23:59:59.5-05:30", "2031-01-01T05:29:59+00:00"],
  ["2030-06-01T01:30+02:00", "2030-05-31T23:30:00+00:00"],
  ["20300601T013059+0200", "2030-05-31T23:30:59+00:00"],
  ["2030-06-01T01:30:59,99999999999999999999-02", "2030-06-01T03:30:59+00:00"],
  ["2030-06-01t01.25z", "2030-06-01T01:15:00+00:00"],
  ["2030-06-01 01:30.5Z", "2030-06-01T01:30:30+00:00"],
  ["2030-12-31T24:00Z", "2031-01-01T00:00:00+00:00"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00+00:00"],
  ["1960-01-01T00:00:00.9Z", "1960-01-01T00:00:00+00:00"],
  ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00+00:00"],
])("the creation time %s is sent as %s", (created_at, sent) => {
  const paid = sitePaidSchema.parse({ ...event, created_at })
  expect(JSON.parse(siteReadyBody(paid).toString()).created_at).toBe(sent)
})

test("unknown fields of site.paid are ignored", () => {
  expect(sitePaidSchema.parse({ ...event, price: 12 })).toEqual(event)
})

test.each(Object.keys(sitePaidSchema.shape) as (keyof SitePaid)[])(
  "%s cannot contain NUL or half of a surrogate pair, which Postgres or partners could not read",
  (field) => {
    const text = event[field]
    for (const bad of ["\0", "\ud800", "\udc00"])
      for (let at = 0; at <= text.length; at++) {
        const value = text.slice(0, at) + bad + text.slice(at)
        expect(sitePaidSchema.safeParse({ ...event, [field]: value }).success, JSON.stringify(value)).toBe(
          false,
        )
      }
  },
)

test.each([
  ["id", ""],
  ["id", "with\u0000nul"],
  ["channel", undefined],
  ["site_url", "ftp://shop.example"],
  ["site_url", "/relative"],
  ["email", "no address"],
  ["created_at", "yesterday"],
  ["created_at", "2030-06-01T01:30:00"],
  ["created_at", "9999-12-31T23:59:59-01:00"],
  ["created_at", "0000-01-01T00:00:00+14:00"],
])("a site.paid with the %s %j is invalid", (field, value) => {
  expect(sitePaidSchema.safeParse({ ...event, [field]: value }).success).toBe(false)
})
