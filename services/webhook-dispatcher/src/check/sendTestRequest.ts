import type { Channel } from "@sitewire/deliveries"
import type { Headers, Timing } from "@sitewire/egress"
import { isAccepted, type TestResponse as Sent } from "@sitewire/signing/certification"
import type { EgressOf } from "../send/sendRequest.ts"
import { describeRedirect } from "../send/sendRequest.ts"

export type TestRequest = {
  id: string
  channel: Pick<Channel, "address" | "partnerMayChangeAddress">
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type TestResponse = Sent & { received: Headers; ip: string | null; timing: Timing }

/** How long an attempt waits for the beginning of the response's body, after the head. */
const excerptMs = 250

/** Sends one request as attempts do, with the same rules for addresses. Rejects if `signal` is aborted. */
export function createSendTestRequest(settings: {
  egressOf: EgressOf
  timeoutMs: number
  signal: AbortSignal
}) {
  const { egressOf, timeoutMs, signal } = settings
  return async ({ id, channel, headers, body }: TestRequest): Promise<TestResponse> => {
    const { address } = channel
    const outcome = await egressOf(channel).request({
      method: "POST",
      url: address,
      headers,
      body,
      timeoutMs,
      repeatable: true,
      signal,
    })
    if (outcome.kind === "aborted") throw new Error("the process stops during a test request")
    const { timing, ip = null } = outcome
    const base = { delivery: id, duration_ms: timing.totalMs }
    if (outcome.kind === "failed") {
      const { error, message: detail } = outcome
      return {
        response: { ...base, status: null, error, detail },
        excerpt: null,
        received: {},
        ip,
        timing,
      }
    }
    const { status, headers: received } = outcome
    const excerpt = await outcome.excerpt.within(excerptMs)
    const detail = describeRedirect(status, received.location, address)
    return {
      response: { ...base, status, error: isAccepted(status) ? null : "status", detail },
      excerpt: excerpt.length === 0 ? null : excerpt.toString("utf8"),
      received,
      ip,
      timing,
    }
  }
}

export type SendTestRequest = ReturnType<typeof createSendTestRequest>
