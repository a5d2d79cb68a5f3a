import { execFileSync } from "node:child_process"
import { join } from "node:path"
import vectors from "@sitewire/signing/vectors.json" with { type: "json" }
import { expect, test } from "vitest"
import { sign, verify } from "./index.ts"

test.each(vectors)("vector: $name", ({ secret, body, body_utf8, header, valid, reason }) => {
  const bytes = Buffer.from(body, "base64")
  expect(verify({ body: bytes, header, secrets: [secret] })).toEqual(
    valid ? { valid: true, secret: 0 } : { valid: false, reason },
  )
  expect(sign(bytes, secret) === header).toBe(valid)
  if (body_utf8 !== undefined) {
    expect(Buffer.from(body_utf8)).toEqual(bytes)
    expect(sign(body_utf8, secret)).toBe(sign(bytes, secret))
  }
})

test("the vectors cover each outcome, and bodies that are and are not text", () => {
  const outcomes = new Set(vectors.map((vector) => vector.reason ?? "valid"))
  expect(outcomes).toEqual(new Set(["valid", "missing", "malformed", "mismatch"]))
  expect(vectors.some((vector) => vector.body_utf8 === undefined)).toBe(true)
  expect(new Set(vectors.map((vector) => vector.name)).size).toBe(vectors.length)
})

test("openssl signs every vector's body as sign does", () => {
  for (const { name, secret, body } of vectors) {
    const bytes = Buffer.from(body, "base64")
    const key = `hexkey:${Buffer.from(secret).toString("hex")}`
    const printed = run("openssl", ["dgst", "-sha256", "-mac", "HMAC", "-macopt", key], bytes)
    expect(`sha256=${printed.trim().split("= ")[1]}`, name).toBe(sign(bytes, secret))
  }
})

test("Python's hmac agrees with every vector", () => {
  const printed = run("python3", [join(import.meta.dirname, "../check_vectors.py")], "")
  expect(printed.trim()).toBe(`${vectors.length} vectors hold, 0 do not`)
})

function run(command: string, args: string[], input: Uint8Array | string): string {
  try {
    return execFileSync(command, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] })
  } catch (cause) {
    const absent = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    if (!absent) throw cause
    throw new Error(
      `${command} is not on this machine. The vectors are published as checked by it: install it and run again.`,
      { cause },
    )
  }
}
