import { sign, standardWebhooksHeaders } from "@sitewire/signing/sender"
import { expect, test } from "vitest"
import { redactExcerpt, shownHeaders } from "./secrets.ts"

test("headers are shown as they are sent, except most of each signature", () => {
  const body = Buffer.from("{}")
  const secrets = ["a first secret of the test", "a second secret of the test"]
  const headers = {
    "content-type": "application/json",
    "X-Shop-Signature": sign(body, secrets[0] ?? ""),
    "X-Shop-Attempt": "3",
    ...standardWebhooksHeaders({ id: "d-1", timestamp: 1_700_000_000, body, secrets }),
  }
  const shown = shownHeaders(headers)
  const signatures = [
    headers["X-Shop-Signature"].slice(7),
    ...(headers["webhook-signature"] ?? "").split(" "),
  ]
  expect(shown.split("\n")).toEqual([
    "content-type: application/json",
    `X-Shop-Signature: sha256=${signatures[0]?.slice(0, 8)}…`,
    "X-Shop-Attempt: 3",
    "webhook-id: d-1",
    "webhook-timestamp: 1700000000",
    `webhook-signature: ${signatures[1]?.slice(0, 11)}… ${signatures[2]?.slice(0, 11)}…`,
    "",
  ])
})

function redacted(quoted: Buffer, partners: Record<string, string>): string {
  const excerpt = { received: () => quoted, complete: () => true, within: async () => quoted }
  return redactExcerpt(excerpt, partners).received().toString("latin1")
}

test("a value that begins with another one is removed whole", () => {
  const partners = { "x-key": "marked", authorization: "Bearer marked-and-longer" }
  const quoted = Buffer.from("no: marked, Bearer marked-and-longer, marked-and-longer")
  expect(redacted(quoted, partners)).toBe("no: ***, ***, ***")
})

test("a value is removed from JSON, too, and its tokens wherever they are", () => {
  const authorization = 'Token token="9f86d081884c7d65", user="müller-und-söhne"'
  const latin1 = Buffer.from(`${JSON.stringify({ authorization })} 9f86d081884c7d65 `, "latin1")
  expect(redacted(latin1, { authorization })).toBe('{"authorization":"***"} *** ')
})

test("a response does not become longer", () => {
  const partners = { "x-one": "*", "x-two": "*", "x-three": "**", "x-dot": "." }
  expect(redacted(Buffer.from("*".repeat(1_024)), partners)).toBe("*".repeat(1_024))
  expect(redacted(Buffer.from("nothing of it"), partners)).toBe("nothing of it")
})
