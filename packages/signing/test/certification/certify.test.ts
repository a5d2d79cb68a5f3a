import { expect, test } from "vitest"
import { certify } from "../../src/certification/certify.ts"
import { type Finding, pointIds } from "../../src/certification/points.ts"
import type { Receiver } from "../../src/certification/receiver.ts"

type Response = { status: number | null; error: "timeout" | null; duration_ms: number }

/** Rejects forged deliveries at once, and responds so to genuine ones. The time limit is 6 s. */
async function certifyReceiver(genuine: Response): Promise<Record<string, Finding["result"]>> {
  const receiver: Receiver = {
    channelId: "acme",
    genuineHeaders: () => ({ signature: "genuine" }),
    headersBy: () => ({ signature: "forged" }),
    headersWith: () => ({}),
    uppercaseHeaders: () => ({}),
    lateHeaders: () => ({}),
    stagedSecret: null,
    retired: { body: Buffer.from("{}"), signature: "of the retired secret" },
    send: async ({ id, body }, { signature }) => {
      // The body of the point `re-encoded-body` has line breaks.
      const isGenuine = signature === "genuine" && !body.includes("\n")
      const response = isGenuine ? genuine : { status: 401, error: null, duration_ms: 1 }
      return {
        response: { ...response, delivery: id, detail: null },
        excerpt: null,
      }
    },
  }
  const findings: Finding[] = []
  for await (const finding of certify(receiver, 6_000)) findings.push(finding)
  return Object.fromEntries(findings.map(({ id, result }) => [id, result]))
}

const all = (result: string) => Object.fromEntries(pointIds.map((id) => [id, result]))

test("a receiver that needs at most half of the time limit passes", async () => {
  expect(await certifyReceiver({ status: 204, error: null, duration_ms: 3_000 })).toEqual({
    ...all("passed"),
    rotation: "skipped",
  })
})

test("a receiver that needs more than half of the time limit gets warnings", async () => {
  expect(await certifyReceiver({ status: 204, error: null, duration_ms: 3_001 })).toEqual({
    ...all("passed"),
    rotation: "skipped",
    "response-time": "warning",
    burst: "warning",
  })
})

test("a receiver that does not respond within the time limit fails, and is sent nothing more", async () => {
  expect(await certifyReceiver({ status: null, error: "timeout", duration_ms: 6_000 })).toEqual({
    ...all("skipped"),
    genuine: "failed",
    "response-time": "failed",
  })
})
