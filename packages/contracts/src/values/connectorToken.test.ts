import { expect, test } from "vitest"
import {
  hashConnectorToken,
  isApiKey,
  isConnectorToken,
  isSecret,
  newApiKey,
  newConnectorToken,
  newSecret,
} from "./prefixedSecret.ts"

const known = `swt_${"A".repeat(43)}`

test("a new token is valid, needs no URL encoding, and is unique", () => {
  const tokens = Array.from({ length: 1000 }, newConnectorToken)
  for (const token of tokens) {
    expect(token).toMatch(/^swt_[A-Za-z0-9_-]{49}$/)
    expect(encodeURIComponent(token)).toBe(token)
    expect(isConnectorToken(token)).toBe(true)
  }
  expect(new Set(tokens).size).toBe(tokens.length)
})

test("a token with any one character changed is not a token", () => {
  const token = newConnectorToken()
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === "x" ? "y" : "x"
    expect(isConnectorToken(token.slice(0, index) + other + token.slice(index + 1)), `at ${index}`).toBe(
      false,
    )
  }
})

test("text in another format is not a token", () => {
  const token = newConnectorToken()
  const others = [
    "",
    "swt_",
    known,
    token.slice(1),
    token.slice(0, -1),
    `${token}A`,
    `${token}\n`,
    ` ${token}`,
  ]
  for (const text of others) expect(isConnectorToken(text), JSON.stringify(text)).toBe(false)
  expect(isConnectorToken(token.toUpperCase())).toBe(false)
})

test("the checksum's algorithm is pinned, so that existing trigger URLs stay valid", () => {
  expect(isConnectorToken(`${known}_oOvOw`)).toBe(true)
  expect(isConnectorToken(`${known}_oOvOx`)).toBe(false)
})

test.each(["swk", "sws", "swl", "swc"] as const)(
  "a %s_ secret has the same format and checksum",
  (prefix) => {
    const secret = newSecret(prefix)
    expect(secret).toMatch(new RegExp(`^${prefix}_[A-Za-z0-9_-]{49}$`))
    expect(isSecret(prefix, secret)).toBe(true)
    expect(isSecret("swt", secret)).toBe(false)
    expect(
      isSecret(
        prefix,
        secret.replace(/.$/, (last) => (last === "x" ? "y" : "x")),
      ),
    ).toBe(false)
  },
)

test("an API key that an operator made has no checksum, and a mistyped one is no key", () => {
  expect(isApiKey(`swk_${"A".repeat(43)}`)).toBe(true)
  expect(isApiKey(newApiKey())).toBe(true)
  expect(isApiKey(`swk_${"A".repeat(49)}`)).toBe(false)
  expect(isApiKey(newApiKey().slice(0, -1))).toBe(false)
})

test("a token's hash is the SHA-256 of its text", () => {
  expect(hashConnectorToken("abc").toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  )
})
