import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { readSealingKeys, seal, sealingKeyId, unseal } from "./seal.ts"
import { sealContexts } from "./sealContexts.ts"

const keyText = (id: string) => `${id}:${randomBytes(32).toString("base64")}`

test("what was sealed opens again, and twice sealed looks different", () => {
  const keys = readSealingKeys(keyText("k1"))
  const sealed = seal(keys, "channel:acme", "geheim: ü")
  expect(unseal(keys, "channel:acme", sealed)).toBe("geheim: ü")
  expect(seal(keys, "channel:acme", "geheim: ü").equals(sealed)).toBe(false)
  expect(sealed.includes("geheim")).toBe(false)
})

test("after a rotation old values open and new ones use the new key", () => {
  const [first, second] = [keyText("k1"), keyText("k2")]
  const old = seal(readSealingKeys(first), "c", "v")
  const rotated = readSealingKeys(`${second}, ${first}`)
  expect(unseal(rotated, "c", old)).toBe("v")
  expect(sealingKeyId(old)).toBe("k1")
  expect(sealingKeyId(seal(rotated, "c", "v"))).toBe("k2")
  expect(() => unseal(readSealingKeys(second), "c", old)).toThrow(/needs the key "k1"/)
})

test("a value that was changed or moved to another row does not open", () => {
  const keys = readSealingKeys(keyText("k1"))
  const sealed = seal(keys, "channel:a", "secret")
  expect(() => unseal(keys, "channel:b", sealed)).toThrow(/does not open/)
  for (let at = 4; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => unseal(keys, "channel:a", changed)).toThrow()
  }
})

test("a signing secret or a token opens in the row that it was sealed for, and in no other", () => {
  const keys = readSealingKeys(keyText("k1"))
  const { signingSecret, connectionToken } = sealContexts
  const rows = [
    () => signingSecret("acme", "sec_1"),
    () => signingSecret("acme", "sec_2"),
    () => signingSecret("other", "sec_1"),
    () => connectionToken("acme"),
    () => connectionToken("other"),
  ]
  for (const [from, contextOf] of rows.entries()) {
    const sealed = seal(keys, contextOf(), "value")
    for (const [to, otherContextOf] of rows.entries()) {
      const open = () => unseal(keys, otherContextOf(), sealed)
      if (to === from) expect(open()).toBe("value")
      else expect(open, `${contextOf()} opened as ${otherContextOf()}`).toThrow(/does not open/)
    }
  }
})

test("a key with the right name and other bytes is named as a cause", () => {
  const sealed = seal(readSealingKeys(keyText("k1")), "channel:a", "secret")
  expect(() => unseal(readSealingKeys(keyText("k1")), "channel:a", sealed)).toThrow(
    /for channel:a does not open with the key "k1".*sealed with another/,
  )
})

test("faulty keys are named and never shown", () => {
  const short = randomBytes(16).toString("base64")
  for (const text of ["", "k1", `k1:${short}`, `${keyText("k1")},${keyText("k1")}`, `bad id:${short}`]) {
    const read = () => readSealingKeys(text)
    expect(read).toThrow()
    expect(read).not.toThrow(new RegExp(short.slice(0, 10).replaceAll("+", "\\+")))
  }
})
