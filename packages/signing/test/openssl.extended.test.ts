import { execFileSync } from "node:child_process"
import { expect, type TestContext, test } from "vitest"
import { sign, sourceRequestHeaders, standardWebhooksHeaders } from "../src/sender/index.ts"
import { deliveries, sources } from "./vectors.ts"

test("openssl signs what the vectors are of as the sender does", (context) => {
  const id = "msg_1"
  const timestamp = 1_772_366_400
  for (const { name, secrets, body } of deliveries) {
    for (const secret of secrets) {
      const bytes = Buffer.from(body, "base64")
      expect(`sha256=${hmac(context, secret, bytes).toString("hex")}`, name).toBe(sign(bytes, secret))
      const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), bytes])
      const headers = standardWebhooksHeaders({ id, timestamp, body: bytes, secrets: [secret] })
      expect(`v1,${hmac(context, secret, content).toString("base64")}`, name).toBe(
        headers["webhook-signature"],
      )
    }
  }
  for (const { name, secrets, method, url } of sources) {
    const headers = sourceRequestHeaders({ id, timestamp, method, url, secrets })
    const signatures = secrets.map((secret) =>
      hmac(context, secret, Buffer.from(`${id}.${timestamp}."${method} ${url}"`)).toString("base64"),
    )
    expect(signatures.map((one) => `v1,${one}`).join(" "), name).toBe(headers["webhook-signature"])
  }
})

function hmac(context: TestContext, secret: string, input: Uint8Array): Buffer {
  const key = `hexkey:${Buffer.from(secret).toString("hex")}`
  try {
    return execFileSync("openssl", ["dgst", "-sha256", "-mac", "HMAC", "-macopt", key, "-binary"], {
      input,
      stdio: ["pipe", "pipe", "pipe"],
    })
  } catch (cause) {
    const absent = cause instanceof Error && "code" in cause && cause.code === "ENOENT"
    if (absent) context.skip("needs openssl: apt-get install openssl")
    throw cause
  }
}
