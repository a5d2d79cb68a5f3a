import type { DeliverySigner, TestMessage } from "./createDeliverySigner.ts"
import { newMessage, unknownSecret } from "./newMessage.ts"
import { reencode } from "./reencode.ts"

/** What a receiver must reject. Each is of a new site. */
export type TestRequest = { message: TestMessage; headers: Record<string, string> }

type To<Needed extends keyof DeliverySigner> = { channelId: string } & Pick<DeliverySigner, Needed>

/** Signed by a secret that is not the channel's. */
export function forged(to: To<"headersBy">): TestRequest {
  const message = newMessage(to.channelId)
  return { message, headers: to.headersBy(message, [unknownSecret()]) }
}

export function unsigned(to: To<"headersWith">): TestRequest {
  const message = newMessage(to.channelId)
  return { message, headers: to.headersWith(message, null) }
}

/** The same JSON in other bytes, with the signature of the original bytes. */
export function reencoded(to: To<"genuineHeaders">): TestRequest {
  const original = newMessage(to.channelId)
  return {
    message: { ...original, body: reencode(original.body) },
    headers: to.genuineHeaders(original),
  }
}

export function uppercase(to: To<"uppercaseHeaders">): TestRequest {
  const message = newMessage(to.channelId)
  return { message, headers: to.uppercaseHeaders(message) }
}

export function late(to: To<"lateHeaders">): TestRequest {
  const message = newMessage(to.channelId)
  return { message, headers: to.lateHeaders(message) }
}
