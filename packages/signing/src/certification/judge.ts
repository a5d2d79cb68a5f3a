import type { Finding, PointId, PointResult } from "./points.ts"
import { isAccepted, type TestResponse } from "./receiver.ts"

/** For a delivery that the receiver must accept. */
export function judgeGenuine(id: "genuine" | "repeated", sent: TestResponse): Finding {
  return finding(id, isAccepted(sent.response.status) ? "passed" : "failed", describe(sent))
}

/** For a delivery that the receiver must reject. `accepted`: whether it accepted the genuine one. */
export function judgeRejection(
  id: PointId,
  sent: TestResponse,
  { accepted }: { accepted: boolean },
): Finding {
  const { status } = sent.response
  const observed = describe(sent)
  if (isAccepted(status)) return finding(id, "failed", `${observed} So it accepted the delivery.`)
  if (!accepted) {
    const text = `${observed} But it did not accept the genuine delivery either, so this shows nothing.`
    return finding(id, "skipped", text)
  }
  if (isRejection(status)) return finding(id, "passed", observed)
  const text = `${observed} It did not accept the delivery, but this is not a clear rejection either: 401 is.`
  return finding(id, "warning", text)
}

export function judgeRotation(sent: TestResponse, { accepted }: { accepted: boolean }): Finding {
  const observed = describe(sent)
  const takes = isAccepted(sent.response.status)
  const judged = (result: PointResult, text: string) => finding("rotation", result, `${observed} ${text}`)
  if (!accepted) {
    return takes
      ? judged("failed", "It accepts the staged secret, but not the active one.")
      : judged("skipped", "It does not accept the active secret either, so this shows nothing.")
  }
  return takes
    ? judged("passed", "It accepts the staged secret already, so that secret can be activated.")
    : judged("warning", "It does not accept the staged secret yet.")
}

export function judgeResponseTime(sent: readonly TestResponse[], timeoutMs: number): Finding {
  const slowestMs = slowest(sent)
  const limit = `The limit is ${seconds(timeoutMs)}.`
  if (sent.some(({ response }) => response.error === "timeout"))
    return finding("response-time", "failed", `No response arrived in time. ${limit}`)
  const result = slowestMs > timeoutMs / 2 ? "warning" : "passed"
  return finding("response-time", result, `The slowest response took ${seconds(slowestMs)}. ${limit}`)
}

export function judgeBurst(sent: readonly TestResponse[], timeoutMs: number): Finding {
  const rejected = sent.filter(({ response }) => !isAccepted(response.status))
  const took = `The slowest took ${seconds(slowest(sent))}.`
  if (rejected.length > 0) {
    const outcomes = rejected.map(({ response }) => outcomeOf(response))
    const list = [...new Set(outcomes)].map((one) => `${count(outcomes, one)} × ${one}`).join(", ")
    const text = `${rejected.length} of ${sent.length} concurrent deliveries were not accepted: ${list}. ${took}`
    return finding("burst", "failed", text)
  }
  const result = slowest(sent) > timeoutMs / 2 ? "warning" : "passed"
  return finding("burst", result, `It accepted ${sent.length} concurrent deliveries. ${took}`)
}

/** For three deliveries of one site, each under an id of its own: the first, the same bytes, and a correction. */
export function judgeSameSite(
  sent: readonly [TestResponse, TestResponse, TestResponse],
  { siteUrl, name }: { siteUrl: string; name: string },
): Finding {
  const [first, again, corrected] = sent
  if (!isAccepted(first.response.status)) {
    const text = `${describe(first)} So it did not accept the first of the three, and this shows nothing.`
    return finding("same-site", "skipped", text)
  }
  const observed = `The second time: ${describe(again)} With a correction: ${describe(corrected)}`
  const accepted = isAccepted(again.response.status) && isAccepted(corrected.response.status)
  if (!accepted) return finding("same-site", "failed", observed)
  const text = `${observed} Now look into your data: ${siteUrl} must be there once, with the name ${JSON.stringify(name)}.`
  return finding("same-site", "passed", text)
}

function finding(id: PointId, result: PointResult, text: string): Finding {
  return { id, result, finding: text }
}

function describe({ response }: TestResponse): string {
  const { status, error, detail, duration_ms } = response
  if (status === null)
    return `There was no response after ${seconds(duration_ms)} (${error}${detail === null ? "" : `: ${detail}`}).`
  return `It responded ${status} after ${seconds(duration_ms)}${detail === null ? "" : ` (${detail})`}.`
}

function count(outcomes: readonly string[], one: string): number {
  return outcomes.filter((outcome) => outcome === one).length
}

function outcomeOf({ status, error }: TestResponse["response"]): string {
  return status === null ? String(error) : `status ${status}`
}

/** 408 and 429 say nothing about the signature. */
export function isRejection(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
}

function slowest(sent: readonly TestResponse[]): number {
  return Math.max(...sent.map(({ response }) => response.duration_ms))
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
