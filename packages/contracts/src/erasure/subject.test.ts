import { expect, test } from "vitest"
import { siteReadyBody } from "../events/siteReady.ts"
import { digestsOf, onlyEmailDigest, subjectOf } from "./subject.ts"

const digestOf = (subject: { email: string } | { site_url: string }) => Object.values(subjectOf(subject))[0]
const isAbout = (content: unknown, subject: { email: string } | { site_url: string }) =>
  digestsOf(Buffer.from(JSON.stringify(content)))?.includes(digestOf(subject) ?? "")

test.each([
  ["capitals", "Owner.Of@Shop.EXAMPLE", "owner.of@shop.example"],
  ["white space", " owner@shop.example\n", "owner@shop.example"],
  ["ß and SS", "straße@shop.example", "STRASSE@shop.example"],
  ["ß and its capital", "straße@shop.example", "STRAẞE@shop.example"],
  ["a sigma at a word's end", "ΟΔΟΣ@shop.example", "οδος@shop.example"],
  ["composed letters", "\u00e9@shop.example", "E\u0301@shop.example"],
  ["an internationalized host", "x@Bücher.example", "x@xn--bcher-kva.example"],
  ["a host in Punycode", "x@XN--BCHER-KVA.example", "x@bu\u0308cher.example"],
])("an e-mail address is the same with %s", (_, written, asked) => {
  expect(isAbout({ email: written }, { email: asked })).toBe(true)
  expect(isAbout({ email: written }, { email: `x${asked.trim()}` })).toBe(false)
})

test.each([
  ["a dotless i", "ırmak@shop.example", "irmak@shop.example"],
  ["a dotless i beside capitals", "IRMAKı@shop.example", "irmaki@shop.example"],
  ["a host with ß", "x@straße.example", "x@strasse.example"],
  ["a path behind its host", "x@shop.example/other", "x@shop.example"],
  ["more text around it", "Kim <x@shop.example>", "x@shop.example"],
])("an e-mail address is a different one with %s", (_, written, asked) => {
  expect(isAbout({ email: written }, { email: asked })).toBe(false)
  expect(isAbout({ email: written }, { email: written })).toBe(true)
})

test.each([
  ["a slash at its end", "https://shop.example/"],
  ["capitals in its host", "https://SHOP.example"],
  ["the other scheme", "http://shop.example"],
  ["a full stop behind its host", "https://shop.example./"],
  ["its usual port", "https://shop.example:443"],
])("a site is the same with %s", (_, written) => {
  expect(isAbout({ site_url: written }, { site_url: "https://shop.example" })).toBe(true)
  expect(isAbout({ site_url: written }, { site_url: "https://shop.example/other" })).toBe(false)
})

test("an internationalized host equals its Punycode form", () => {
  expect(isAbout({ site_url: "https://bücher.example" }, { site_url: "https://xn--bcher-kva.example" })).toBe(
    true,
  )
})

test("an address is found in any field and nesting, and beside malformed fields", () => {
  const email = "owner@shop.example"
  for (const content of [
    { email, site_url: null },
    { email: [email], site_url: "https://shop.example" },
    { reference: email, email: 5 },
    { owner: { contacts: [{ mail: email }] } },
  ]) {
    expect(isAbout(content, { email })).toBe(true)
  }
  expect(
    isAbout({ email: [1], site_url: "https://shop.example" }, { site_url: "https://shop.example" }),
  ).toBe(true)
  expect(digestsOf(Buffer.from('{"email": "\\u006fwner\\u0040shop.example"}'))).toEqual([digestOf({ email })])
  expect(digestsOf(Buffer.from(`{"email": "${email}"`))).toBeNull()
})

test("an address is found at any depth and among any number of values", () => {
  const email = "owner@shop.example"
  const deep = 100_000
  const wide = Array.from({ length: 400_000 }, () => 1)
  const digests = [digestOf({ email })]
  expect(digestsOf(Buffer.from(`${"[".repeat(deep)}"${email}"${"]".repeat(deep)}`))).toEqual(digests)
  expect(digestsOf(Buffer.from(JSON.stringify([email, ...wide])))).toEqual(digests)
})

const event = {
  id: "evt-1",
  channel: "acme",
  reference: "user:4711",
  site_url: "https://shop.example",
  console_url: "https://console.example",
  name: "Shop: the best one",
  email: "Owner@shop.example",
  created_at: "2030-06-01T00:00:00Z",
}

test("the digest of an event's address is that of its erasure", () => {
  expect(onlyEmailDigest(event)).toBe(digestOf({ email: "owner@shop.example" }))
})

test.each([
  ["reference", "other@shop.example", { email: "other@shop.example" }],
  ["name", "\u212aim@shop.example", { email: "kim@shop.example" }],
  ["reference", "ftp://other.example/", { site_url: "https://other.example" }],
  ["channel", " https://other.example", { site_url: "https://other.example" }],
] as const)(
  "an event whose %s is %j has no such digest, because its delivery names others, too",
  (field, text, other) => {
    const both = { ...event, [field]: text }
    expect(onlyEmailDigest(both)).toBeNull()
    expect(digestsOf(siteReadyBody(both))).toContain(digestOf(other))
  },
)
