import { signatureHeader } from "@sitewire/signing"
import { createDeliveryHeaders } from "../attempt/deliveryHeaders.ts"
import type { SealedSecret } from "../delivery.ts"
import type { Check } from "./check.ts"
import { createRedact } from "./redact.ts"
import type { SendTestRequest, TestResponse } from "./sendTestRequest.ts"

/** A delivery that is stored nowhere. */
export type TestMessage = { id: string; attempt: number; body: Buffer }

export type Receiver = {
  channelId: string
  /** The headers of a genuine delivery. */
  genuineHeaders(message: TestMessage): Record<string, string>
  /** The same headers, but signed by these secrets. */
  headersBy(message: TestMessage, secrets: readonly [string, ...string[]]): Record<string, string>
  /** The same headers, but with this signature only, or none. */
  headersWith(message: TestMessage, signature: string | null): Record<string, string>
  otherSecret: { value: string; state: "staged" | "retiring" } | null
  retired: Check["retired"]
  send(message: TestMessage, headers: Record<string, string>): Promise<TestResponse>
}

export type ReceiverOf = (check: Check) => Receiver

/** Returns a function that throws if the channel's secrets cannot be decrypted. */
export function createReceiverOf(settings: {
  serviceName: string
  openSecret: (channelId: string, secret: SealedSecret) => string
  sendTestRequest: SendTestRequest
}): ReceiverOf {
  const { serviceName, openSecret, sendTestRequest } = settings
  const deliveryHeaders = createDeliveryHeaders(serviceName)
  const signature = signatureHeader(serviceName)

  return ({ channel, otherSecretState, retired }) => {
    const active = openSecret(channel.id, channel.secret)
    const other = channel.otherSecret && openSecret(channel.id, channel.otherSecret)
    const { standardWebhooks } = channel
    const redact = createRedact(other === null ? [active] : [active, other])
    const headersBy: Receiver["headersBy"] = (message, secrets) =>
      deliveryHeaders(message, { secrets, standardWebhooks })
    return {
      channelId: channel.id,
      genuineHeaders: (message) => headersBy(message, other === null ? [active] : [active, other]),
      headersBy,
      headersWith(message, value) {
        const headers = deliveryHeaders(message, { secrets: [active], standardWebhooks: false })
        const { [signature]: _, ...rest } = headers
        return value === null ? rest : { ...rest, [signature]: value }
      },
      otherSecret:
        other === null || otherSecretState === null ? null : { value: other, state: otherSecretState },
      retired,
      async send(message, headers) {
        const { id, body } = message
        const marked = { ...headers, [`X-${serviceName}-Test`]: "true" }
        const sent = await sendTestRequest({ id, address: channel.address, headers: marked, body })
        return { ...sent, excerpt: sent.excerpt === null ? null : redact(sent.excerpt) }
      },
    }
  }
}
