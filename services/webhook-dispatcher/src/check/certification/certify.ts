import { randomBytes } from "node:crypto"
import {
  newDeliveryId,
  type PointFinding,
  type PointId,
  pointIdSchema,
  testSiteReadyBody,
} from "@sitewire/contracts"
import type { Receiver, TestMessage } from "../receiver.ts"
import { isAccepted, type TestResponse } from "../sendTestRequest.ts"
import { judgeBurst, judgeGenuine, judgeRejection, judgeResponseTime, judgeRotation } from "./judge.ts"
import { reencode } from "./reencode.ts"

/** Below the 32 concurrent attempts that a dispatcher makes to one channel by default. */
const burstSize = 20

/**
 * Sends genuine and forged deliveries with fictional data to a receiver, and yields a finding for each point. Every
 * message but the repeated one has an id and a `site_url` of its own, because a receiver that ignores what it has
 * processed may respond 2xx before it verifies.
 */
export async function* certify(receiver: Receiver, timeoutMs: number): AsyncGenerator<PointFinding> {
  const { otherSecret, retired } = receiver
  const newMessage = (body = testSiteReadyBody(receiver.channelId)): TestMessage => {
    return { id: newDeliveryId(), attempt: 1, body }
  }
  const sendGenuine = (message: TestMessage) => receiver.send(message, receiver.genuineHeaders(message))

  const message = newMessage()
  const genuine = await sendGenuine(message)
  yield judgeGenuine("genuine", genuine)
  if (genuine.response.status === null) {
    yield* skipAll(genuine, timeoutMs)
    return
  }

  const accepted = isAccepted(genuine.response.status)
  const repeated = accepted ? await sendGenuine({ ...message, attempt: 2 }) : null
  yield repeated
    ? judgeGenuine("repeated", repeated)
    : skipped("repeated", "The receiver did not accept the genuine delivery, so it was not repeated.")

  const mustReject = async (id: PointId, forged: TestMessage, headers: Record<string, string>) =>
    judgeRejection(id, await receiver.send(forged, headers), { accepted })

  const forged = newMessage()
  const unknownSecret = `sws_${randomBytes(32).toString("base64url")}`
  yield mustReject("forged-signature", forged, receiver.headersBy(forged, [unknownSecret]))

  const unsigned = newMessage()
  yield mustReject("missing-signature", unsigned, receiver.headersWith(unsigned, null))

  const original = newMessage()
  const changed = { ...original, body: reencode(original.body) }
  yield mustReject("re-encoded-body", changed, receiver.genuineHeaders(original))

  if (retired) {
    const old = newMessage(retired.body)
    yield mustReject("previous-secret", old, receiver.headersWith(old, retired.signature))
  } else {
    yield skipped("previous-secret", "No signing secret of this channel has been retired yet.")
  }

  if (otherSecret) {
    const other = newMessage()
    const sent = await receiver.send(other, receiver.headersBy(other, [otherSecret.value]))
    yield judgeRotation(otherSecret.state, sent, { accepted })
  } else {
    yield skipped("rotation", "No rotation of the signing secret is in progress.")
  }

  yield judgeResponseTime(repeated ? [genuine, repeated] : [genuine], timeoutMs)

  if (accepted) {
    const length = Math.min(burstSize, receiver.maxPerSecond ?? burstSize)
    const sent = await Promise.all(Array.from({ length }, () => sendGenuine(newMessage())))
    yield judgeBurst(sent, timeoutMs)
  } else {
    yield skipped("burst", "The receiver did not accept the genuine delivery.")
  }
}

function* skipAll(genuine: TestResponse, timeoutMs: number): Generator<PointFinding> {
  const timedOut = genuine.response.error === "timeout"
  for (const id of pointIdSchema.options) {
    if (id === "genuine") continue
    yield id === "response-time" && timedOut
      ? judgeResponseTime([genuine], timeoutMs)
      : skipped(id, "The receiver did not respond to the genuine delivery.")
  }
}

function skipped(id: PointId, finding: string): PointFinding {
  return { id, result: "skipped", finding, received: [] }
}
