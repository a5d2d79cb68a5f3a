import { expect, test } from "vitest"
import { sign, signatureHeader, verify } from "../src/sender/index.ts"

const body = '{"name":"Bäckerei"}'

test("a signature made with any of several secrets is valid and says with which", () => {
  const secrets = ["old", "new", "next"]
  for (const [secret, text] of secrets.entries()) {
    expect(verify({ body, header: sign(body, text), secrets })).toEqual({ valid: true, secret })
  }
  expect(verify({ body, header: sign(body, "other"), secrets })).toEqual({ valid: false, reason: "mismatch" })
})

test("the first of two equal secrets is the one named", () => {
  expect(verify({ body, header: sign(body, "a"), secrets: ["a", "a"] })).toEqual({ valid: true, secret: 0 })
})

test("text and its UTF-8 bytes have one signature, also as a view into a larger buffer", () => {
  const larger = new Uint8Array(Buffer.from(`xx${body}xx`))
  const view = larger.subarray(2, larger.length - 2)
  expect(sign(view, "s")).toBe(sign(body, "s"))
  expect(verify({ body: view, header: sign(body, "s"), secrets: ["s"] }).valid).toBe(true)
})

test("a header that is absent in any way is missing, one in a list is malformed", () => {
  for (const header of [undefined, null, ""]) {
    expect(verify({ body, header, secrets: ["s"] })).toEqual({ valid: false, reason: "missing" })
  }
  for (const header of [[], [sign(body, "s")], [sign(body, "s"), sign(body, "s")]]) {
    expect(verify({ body, header, secrets: ["s"] })).toEqual({ valid: false, reason: "malformed" })
  }
})

test("every secret is tried, also after one has matched", () => {
  const tried: number[] = []
  const secrets = ["a", "b", "c"]
  const watched = new Proxy(secrets, {
    get(target, key, receiver) {
      if (key === "0" || key === "1" || key === "2") tried.push(Number(key))
      return Reflect.get(target, key, receiver)
    },
  })
  verify({ body, header: sign(body, "a"), secrets: watched })
  // Once when they are checked for being usable, once when they are compared.
  expect(tried).toEqual([0, 1, 2, 0, 1, 2])
})

test("an empty secret is refused and not signed with, since anybody could", () => {
  expect(() => sign(body, "")).toThrow("empty")
  expect(() => verify({ body, header: undefined, secrets: ["s", ""] })).toThrow("empty")
  expect(() => verify({ body, header: undefined, secrets: [] })).toThrow("No signing secret")
})

test("a parsed body is refused with a message that says to pass the raw one", () => {
  const parsed: Uint8Array = JSON.parse(body)
  expect(() => verify({ body: parsed, header: sign(body, "s"), secrets: ["s"] })).toThrow("Pass the raw body")
})

test("the header carries the service's name, which is one word", () => {
  expect(signatureHeader()).toBe("X-Sitewire-Signature")
  expect(signatureHeader("Acme2")).toBe("X-Acme2-Signature")
  for (const name of ["", "Two Words", "a-b", "Bäcker", "a\n", "a:b"]) {
    expect(() => signatureHeader(name), JSON.stringify(name)).toThrow("SERVICE_NAME")
  }
})
