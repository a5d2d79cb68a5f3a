import { expect, test } from "vitest"
import { readUser } from "./readUser.ts"

const read = (claims: object) => readUser("usr_1", { ...claims, s: ["read"] }, { scopesClaim: "s" })?.name

test("a user's name is the name or the subject, and never an e-mail address", () => {
  expect(read({ name: "Ada Lovelace", sub: "u1", email: "ada@x.example" })).toBe("Ada Lovelace")
  expect(read({ sub: "u1", email: "ada@x.example" })).toBe("u1")
  expect(read({ name: "ada@x.example", sub: "u1" })).toBe("u1")
  expect(read({ name: "Ada <ada@x.example>", sub: "ada@x.example" })).toBe("usr_1")
  expect(read({ name: " ", sub: "u\n1" })).toBe("usr_1")
  expect(read({ name: "x".repeat(200), sub: "u1" })).toHaveLength(100)
})

test("each scope is granted once, and only if it is one", () => {
  const scopes = (claim: unknown) => readUser("usr_1", { sub: "u", s: claim }, { scopesClaim: "s" })?.scopes
  expect(scopes(["read", "read", "owner", 7, "channel:acme"])).toEqual(["read", "channel:acme"])
  expect(scopes("operate staff")).toEqual(["operate"])
  expect(scopes(["staff"])).toBeUndefined()
  expect(scopes(undefined)).toBeUndefined()
})

test("with scopes of groups, the claim grants those, and no scope that it names", () => {
  const groupScopes = { operators: ["operate"], "acme devs": ["channel:acme", "read"] }
  const scopes = (s: unknown) => readUser("usr_1", { sub: "u", s }, { scopesClaim: "s", groupScopes })?.scopes
  expect(scopes(["acme devs", "operate", "toString"])).toEqual(["channel:acme", "read"])
  expect(scopes(["operators"])).toEqual(["operate"])
  expect(scopes(["operate", "constructor"])).toBeUndefined()
})
