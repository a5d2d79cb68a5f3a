import { sign } from "../sender/sign.ts"
import { signatureHeader } from "../sender/signatureHeader.ts"
import { createDeliveryHeaders } from "./deliveryHeaders.ts"

/** A delivery that is stored nowhere. */
export type TestMessage = { id: string; attempt: number; body: Buffer }

const lateSeconds = 3_600

export type DeliverySigner = {
  /** The headers of a genuine delivery. */
  genuineHeaders(message: TestMessage): Record<string, string>
  /** The same headers, but signed by these secrets. */
  headersBy(message: TestMessage, secrets: readonly [string, ...string[]]): Record<string, string>
  /** The same headers, but with this signature only, or none. */
  headersWith(message: TestMessage, signature: string | null): Record<string, string>
  /** The same headers, but with the genuine signature only, in uppercase hexadecimal digits. */
  uppercaseHeaders(message: TestMessage): Record<string, string>
  /** Those of Standard Webhooks only, signed an hour ago: the other signature does not cover a time. */
  lateHeaders(message: TestMessage): Record<string, string>
}

/**
 * Makes the headers of genuine and forged deliveries to one channel. `otherSecret`: the one that a rotation adds, or is about to
 * remove. Throws a TypeError if a secret is empty, or the service's name is not one word.
 */
export function createDeliverySigner({
  serviceName,
  secret,
  otherSecret = null,
  standardWebhooks,
}: {
  serviceName: string
  secret: string
  otherSecret?: string | null
  standardWebhooks: boolean
}): DeliverySigner {
  const deliveryHeaders = createDeliveryHeaders(serviceName)
  const name = signatureHeader(serviceName)
  const headersBy: DeliverySigner["headersBy"] = (message, secrets) =>
    deliveryHeaders(message, { secrets, standardWebhooks })
  const headersWith: DeliverySigner["headersWith"] = (message, signature) => {
    const headers = deliveryHeaders(message, { secrets: [secret], standardWebhooks: false })
    const { [name]: _, ...rest } = headers
    return signature === null ? rest : { ...rest, [name]: signature }
  }
  return {
    genuineHeaders: (message) => headersBy(message, otherSecret === null ? [secret] : [secret, otherSecret]),
    headersBy,
    headersWith,
    uppercaseHeaders(message) {
      const [scheme, digits = ""] = sign(message.body, secret).split("=")
      return headersWith(message, `${scheme}=${digits.toUpperCase()}`)
    },
    lateHeaders(message) {
      const timestamp = Math.floor(Date.now() / 1_000) - lateSeconds
      const headers = deliveryHeaders(message, { secrets: [secret], standardWebhooks: true, timestamp })
      const { [name]: _, ...rest } = headers
      return rest
    },
  }
}
