import {
  correct,
  explanations,
  forged,
  isAccepted,
  isRejection,
  late,
  newMessage,
  reencoded,
  type TestRequest,
  type TestResponse,
} from "../src/certification/index.ts"
import { escapeControls } from "./escapeControls.ts"
import { openReceiver } from "./openReceiver.ts"
import type { Target } from "./readTarget.ts"

type Receiver = ReturnType<typeof openReceiver>

/** For each kind: the requests, whether a correct receiver accepts them, and the point that explains it. */
const kinds = {
  genuine: {
    accepts: true,
    point: "genuine",
    requests: (to: Receiver) => [genuine(to, newMessage(to.channelId))],
  },
  repeated: {
    accepts: true,
    point: "repeated",
    requests(to: Receiver) {
      const message = newMessage(to.channelId)
      return [genuine(to, message), genuine(to, { ...message, attempt: 2 })]
    },
  },
  corrected: {
    accepts: true,
    point: "same-site",
    requests(to: Receiver) {
      const message = newMessage(to.channelId)
      const correction = newMessage(to.channelId, correct(message.body).body)
      return [genuine(to, message), genuine(to, correction)]
    },
  },
  forged: { accepts: false, point: "forged-signature", requests: (to: Receiver) => [forged(to)] },
  "re-encoded": { accepts: false, point: "re-encoded-body", requests: (to: Receiver) => [reencoded(to)] },
  late: { accepts: false, point: "old-timestamp", requests: (to: Receiver) => [late(to)] },
} as const

const wrongPath = "Check the path of the URL, and that your receiver accepts POST requests at this path."

export type DeliveryKind = keyof typeof kinds

export function isDeliveryKind(name: string): name is DeliveryKind {
  return Object.hasOwn(kinds, name)
}

/** Sends the delivery, or the two, and prints what came back. Returns 0 if it is what a correct receiver responds. */
export async function send(
  target: Target,
  kind: DeliveryKind,
  stdout: { write(text: string): unknown },
): Promise<number> {
  const receiver = openReceiver(target)
  const { accepts, point, requests } = kinds[kind]
  for (const { message, headers } of requests(receiver)) {
    const { site_url, name } = JSON.parse(message.body.toString("utf8"))
    const sent = await receiver.send(message, headers)
    const { status } = sent.response
    const isRight = accepts ? isAccepted(status) : isRejection(status)
    const verdict = isRight ? "as it must" : `but it must ${accepts ? "accept" : "reject"} this`
    stdout.write(`${message.id}, attempt ${message.attempt}: ${site_url} ${JSON.stringify(name)}\n`)
    stdout.write(`  ${describe(sent)}, ${verdict}.\n`)
    if (isRight) continue
    if (sent.excerpt !== null) stdout.write(`  It said: ${escapeControls(sent.excerpt.slice(0, 200))}\n`)
    const { sent: what, why, fix } = explanations[point]
    const advice = status === 404 || status === 405 ? wrongPath : fix
    if (status !== null) stdout.write(`\nSent: ${what}\nWhy:  ${why}\nFix:  ${advice}\n`)
    return 1
  }
  return 0
}

function genuine(to: Receiver, message: TestRequest["message"]): TestRequest {
  return { message, headers: to.genuineHeaders(message) }
}

function describe({ response: { status, error, detail, duration_ms } }: TestResponse): string {
  if (status === null) return `There was no response (${error}: ${detail})`
  return `It responded ${status} after ${Math.round(duration_ms)} ms${detail === null ? "" : ` (${detail})`}`
}
