import { createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { readSealingKeys, seal, sealContexts, sealingKeyId, unseal } from "./seal.ts"

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

test("a signing secret, a token or request headers open in the row that they were sealed for, and in no other", () => {
  const keys = readSealingKeys(keyText("k1"))
  const { signingSecret, connectionToken, connectionSecret, sourceHeaders, receiverHeaders } = sealContexts
  const rows = [
    () => signingSecret("acme", "sec_1"),
    () => signingSecret("acme", "sec_2"),
    () => signingSecret("other", "sec_1"),
    () => connectionToken("acme"),
    () => connectionToken("other"),
    () => connectionSecret("acme"),
    () => sourceHeaders("acme"),
    () => receiverHeaders("acme"),
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

test("each purpose has a key of its own", () => {
  const bytes = Buffer.alloc(32, 7)
  const keys = readSealingKeys(`k1:${bytes.toString("base64")}`)
  const decrypt = (key: Buffer, context: string) => {
    const sealed = seal(keys, context, "value")
    const nonceAt = sealed.length - "value".length - 16 - 12
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(nonceAt, nonceAt + 12))
    decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(nonceAt + 12, nonceAt + 28))
    return Buffer.concat([decipher.update(sealed.subarray(nonceAt + 28)), decipher.final()]).toString()
  }
  const subkey = (purpose: string) => Buffer.from(hkdfSync("sha256", bytes, "", `sitewire ${purpose}`, 32))
  expect(decrypt(subkey("open-id-sign-in"), sealContexts.openIdSignIn)).toBe("value")
  expect(decrypt(subkey("connection-token"), sealContexts.connectionToken("acme"))).toBe("value")
  for (const other of [bytes, subkey("open-id-sign-in")])
    expect(() => decrypt(other, sealContexts.connectionToken("acme"))).toThrow()
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
