import type { TestMessage } from "./createDeliverySigner.ts"
import {
  judgeBurst,
  judgeGenuine,
  judgeRejection,
  judgeResponseTime,
  judgeRotation,
  judgeSameSite,
} from "./judge.ts"
import { newMessage as newMessageTo } from "./newMessage.ts"
import { type Finding, type PointId, pointIds } from "./points.ts"
import { isAccepted, type Receiver, type TestResponse } from "./receiver.ts"
import { forged, late, reencoded, type TestRequest, unsigned, uppercase } from "./requests.ts"
import { correct } from "./testSiteReadyBody.ts"

/** Below the 32 concurrent attempts that a dispatcher makes to one channel by default. */
const burstSize = 20

/**
 * Sends genuine and forged deliveries with fictional data to a receiver, and yields a finding for each point. Every
 * message has an id and a `site_url` of its own, unless its point is about their repetition, because a receiver that ignores
 * what it has processed may respond 2xx before it verifies.
 */
export async function* certify(receiver: Receiver, timeoutMs: number): AsyncGenerator<Finding> {
  const { stagedSecret, retired } = receiver
  const newMessage = (body?: Buffer) => newMessageTo(receiver.channelId, body)
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

  const mustReject = async (id: PointId, { message, headers }: TestRequest) =>
    judgeRejection(id, await receiver.send(message, headers), { accepted })

  yield mustReject("forged-signature", forged(receiver))
  yield mustReject("missing-signature", unsigned(receiver))
  yield mustReject("re-encoded-body", reencoded(receiver))

  if (retired) {
    const message = newMessage(retired.body)
    yield mustReject("previous-secret", {
      message,
      headers: receiver.headersWith(message, retired.signature),
    })
  } else {
    yield skipped("previous-secret", "No retired signing secret was given.")
  }

  if (stagedSecret !== null) {
    const other = newMessage()
    const sent = await receiver.send(other, receiver.headersBy(other, [stagedSecret]))
    yield judgeRotation(sent, { accepted })
  } else {
    yield skipped("rotation", "No staged signing secret was given.")
  }

  yield judgeResponseTime(repeated ? [genuine, repeated] : [genuine], timeoutMs)

  if (accepted) {
    const sent = await Promise.all(Array.from({ length: burstSize }, () => sendGenuine(newMessage())))
    yield judgeBurst(sent, timeoutMs)
  } else {
    yield skipped("burst", "The receiver did not accept the genuine delivery.")
  }

  yield mustReject("uppercase-signature", uppercase(receiver))
  yield mustReject("old-timestamp", late(receiver))

  const { body } = newMessage()
  const corrected = correct(body)
  const sent = [
    await sendGenuine(newMessage(body)),
    await sendGenuine(newMessage(body)),
    await sendGenuine(newMessage(corrected.body)),
  ] as const
  yield judgeSameSite(sent, corrected)
}

function* skipAll(genuine: TestResponse, timeoutMs: number): Generator<Finding> {
  const timedOut = genuine.response.error === "timeout"
  for (const id of pointIds) {
    if (id === "genuine") continue
    yield id === "response-time" && timedOut
      ? judgeResponseTime([genuine], timeoutMs)
      : skipped(id, "The receiver did not respond to the genuine delivery.")
  }
}

function skipped(id: PointId, finding: string): Finding {
  return { id, result: "skipped", finding }
}
