import { createServer } from "node:http"
import {
  type FaultyReceiver,
  type FaultyReceiverOptions,
  makeCertificate,
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
  startFaultyReceiver,
} from "@sitewire/cli/receivers"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Egress } from "../src/createEgress.ts"
import { localEgress } from "./fixtures/localEgress.ts"
import { soon } from "./fixtures/soon.ts"

const TIMEOUT_MS = 12_000
/** Of `late-2xx`, which responds after 85 % of TIMEOUT_MS. On a busy machine, the rest would be too short. */
const LATE_TIMEOUT_MS = 10 * TIMEOUT_MS
const issuer = makeCertificate("DNS:issuer.test")

async function startPartner(
  name: ReceiverFaultName,
  options: FaultyReceiverOptions = {},
  onEnd = onTestFinished,
): Promise<FaultyReceiver> {
  const partner = await startFaultyReceiver(name, {
    timeoutMs: TIMEOUT_MS,
    dripMs: TIMEOUT_MS / 10,
    issuer,
    ...options,
  })
  onEnd(partner.close)
  return partner
}

function post(egress: Egress, url: string, timeoutMs = TIMEOUT_MS) {
  const body = Buffer.from('{"a":1}')
  return egress.request({ method: "POST", url, headers: {}, body, timeoutMs })
}

const advice: Partial<Record<ReceiverFaultName, string>> = {
  "never-accepts": "still connecting",
  "never-responds": "the response was not complete",
  "expired-certificate": "has expired",
  "self-signed-certificate": "self-signed",
  "wrong-name-certificate": "another name",
}

/** These receive no request. All others receive one: no redirect is followed. */
const unreached = new Set<ReceiverFaultName>([
  "never-accepts",
  "expired-certificate",
  "self-signed-certificate",
  "wrong-name-certificate",
])

test.concurrent.for(receiverFaultNames)(
  "%s has the expected outcome in time and leaves no connection",
  async (name, { expect, onTestFinished }) => {
    let requests = 0
    const onRequest = () => requests++
    const partner = await startPartner(name, { onRequest }, onTestFinished)
    const egress = localEgress({ ca: issuer.cert }, onTestFinished)
    const timeoutMs = name === "late-2xx" ? LATE_TIMEOUT_MS : TIMEOUT_MS
    const outcome = await post(egress, `${partner.url}secret-path`, timeoutMs)
    const { error, status } = receiverFaults[name].expected
    const responded = error === null || error === "status"
    expect(outcome).toMatchObject(responded ? { kind: "responded", status } : { kind: "failed", error })
    expect(JSON.stringify(outcome)).not.toContain("secret")
    if (outcome.kind === "failed") expect(outcome.message).toContain(advice[name] ?? "")
    expect(outcome.timing.totalMs).toBeLessThan(3 * timeoutMs)
    if (error === "timeout") expect(outcome.timing.totalMs).toBeGreaterThanOrEqual(TIMEOUT_MS)
    else if (name !== "late-2xx") expect(outcome.timing.totalMs).toBeLessThan(0.9 * TIMEOUT_MS)
    expect(requests).toBe(unreached.has(name) ? 0 : 1)
    // A body is read for at most one more second. Afterwards its connection is idle or closed.
    await soon(() => expect(egress.counts().open - egress.counts().idle).toBe(0))
    await soon(() => expect(partner.open()).toBe(egress.counts().idle))
  },
)

test("of a body that is large, endless or compressed, the excerpt contains 1 KiB", async () => {
  for (const name of ["infinite-body", "gzip-bomb", "large-body"] as const) {
    const outcome = await post(localEgress(), (await startPartner(name)).url)
    expect(outcome.kind === "responded" && (await outcome.excerpt.within(1_000)).length, name).toBe(1_024)
  }
})

test("a name that changes from a public to a private address after vetting is called at the vetted address or not at all", async () => {
  const inside = createServer((_, response) => response.end("inside"))
  const outside = createServer((_, response) => response.end("outside"))
  const listen = (server: typeof inside, port: number, host: string) =>
    new Promise<void>((resolve) => server.listen(port, host, resolve))
  await listen(inside, 0, "127.0.0.1")
  const address = inside.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  // Represents a public address: the only one that this policy allows.
  await listen(outside, port, "127.0.0.2")
  onTestFinished(() => {
    inside.close()
    outside.close()
  })
  let reached = 0
  inside.on("connection", () => reached++)
  let lookups = 0
  const lookup = vi.fn(async () => [lookups++ === 0 ? "127.0.0.2" : "127.0.0.1"])
  const egress = localEgress({ allow: ["127.0.0.2/32"], lookup })
  const url = `http://rebinding.test:${port}/`
  expect(await post(egress, url)).toMatchObject({ kind: "responded", ip: "127.0.0.2" })
  expect(lookup).toHaveBeenCalledTimes(1)
  expect(await post(egress, url)).toMatchObject({ kind: "failed", error: "blocked-address" })
  expect(reached).toBe(0)
})
