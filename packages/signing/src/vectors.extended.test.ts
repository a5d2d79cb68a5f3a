import { execFileSync } from "node:child_process"
import { join } from "node:path"
import vectors from "@sitewire/signing/vectors.json" with { type: "json" }
import { expect, type TestContext, test } from "vitest"
import { sign } from "./index.ts"

test("openssl signs every vector's body as sign does", (context) => {
  for (const { name, secret, body } of vectors) {
    const bytes = Buffer.from(body, "base64")
    const key = `hexkey:${Buffer.from(secret).toString("hex")}`
    const printed = run(context, "openssl", ["dgst", "-sha256", "-mac", "HMAC", "-macopt", key], bytes)
    expect(`sha256=${printed.trim().split("= ")[1]}`, name).toBe(sign(bytes, secret))
  }
})

test("Python's hmac agrees with every vector", (context) => {
  const printed = run(context, "python3", [join(import.meta.dirname, "../check_vectors.py")], "")
  expect(printed.trim()).toBe(`${vectors.length} vectors hold, 0 do not`)
})

function run(context: TestContext, command: string, args: string[], input: Uint8Array | string): string {
  try {
    return execFileSync(command, args, { input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] })
  } catch (cause) {
    const absent = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    if (absent) context.skip(`needs ${command}: apt-get install ${command}`)
    throw cause
  }
}
