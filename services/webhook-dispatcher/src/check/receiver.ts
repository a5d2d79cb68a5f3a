import { createDeliverySigner, createRedact, type TestMessage } from "@sitewire/signing/certification"
import type { ChannelOpener } from "../send/openSecrets.ts"
import { hideValues, secretParts } from "../send/shownHeaders.ts"
import type { Check } from "./claimChecks.ts"
import type { SendTestRequest, TestResponse } from "./sendTestRequest.ts"

/** A receiver that is called by the rules of this installation for addresses. */
export type CheckedReceiver = {
  genuineHeaders(message: TestMessage): Record<string, string>
  /** As of a genuine delivery, but signed by the other secret only. Null: the channel has no other secret. */
  otherHeaders: ((message: TestMessage) => Record<string, string>) | null
  /** Headers of the channel that are sent beside those of a delivery, without their values. */
  hiddenHeaders: Record<string, string>
  /** The header of a challenge, which the receiver returns. */
  challengeHeader: string
  send(message: TestMessage, headers: Record<string, string>): Promise<TestResponse>
}

export type ReceiverOf = (check: Check) => CheckedReceiver

/** Returns a function that throws if the channel's secrets cannot be decrypted. */
export function createReceiverOf(settings: {
  serviceName: string
  opener: ChannelOpener
  sendTestRequest: SendTestRequest
}): ReceiverOf {
  const { serviceName, opener, sendTestRequest } = settings

  return ({ channel }) => {
    const active = opener.openSecret(channel.id, channel.secret)
    const other = channel.otherSecret && opener.openSecret(channel.id, channel.otherSecret)
    const partners = opener.openHeaders(channel)
    const { standardWebhooks } = channel
    const redact = createRedact([active, ...(other === null ? [] : [other]), ...secretParts(partners)])
    const signer = createDeliverySigner({ serviceName, secret: active, otherSecret: other, standardWebhooks })
    return {
      genuineHeaders: signer.genuineHeaders,
      otherHeaders: other === null ? null : (message) => signer.headersBy(message, [other]),
      hiddenHeaders: hideValues(partners),
      challengeHeader: `X-${serviceName}-Challenge`,
      async send(message, headers) {
        const { id, body } = message
        const marked = { ...partners, ...headers, [`X-${serviceName}-Test`]: "true" }
        const sent = await sendTestRequest({ id, channel, headers: marked, body })
        return { ...sent, excerpt: sent.excerpt === null ? null : redact(sent.excerpt) }
      },
    }
  }
}
