import { sign, standardWebhooksHeaders } from "@sitewire/signing/sender"
import { expect, test } from "vitest"
import { shownHeaders } from "./shownHeaders.ts"

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
