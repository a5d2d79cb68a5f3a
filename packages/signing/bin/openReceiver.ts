import { createDeliverySigner, createRedact, type Receiver } from "../src/certification/index.ts"
import { sign } from "../src/sender/sign.ts"
import { postDelivery } from "./postDelivery.ts"
import type { Target } from "./readTarget.ts"

/** As of an attempt of Sitewire. */
export const timeoutMs = 10_000

/** A receiver that is called directly: at any address, also of this machine. */
export function openReceiver(target: Target): Receiver {
  const { url, secret, retiredSecret, stagedSecret, channel, serviceName } = target
  const signer = createDeliverySigner({
    serviceName,
    secret,
    otherSecret: stagedSecret,
    standardWebhooks: true,
  })
  const redact = createRedact([secret, ...[retiredSecret, stagedSecret].filter((one) => one !== null)])
  const retiredBody = Buffer.from(JSON.stringify({ event: "site.ready", channel }))
  return {
    ...signer,
    channelId: channel,
    stagedSecret,
    retired:
      retiredSecret === null ? null : { body: retiredBody, signature: sign(retiredBody, retiredSecret) },
    async send({ id, body }, headers) {
      const marked = { ...headers, [`X-${serviceName}-Test`]: "true" }
      const { excerpt, ...response } = await postDelivery(url, { headers: marked, body, timeoutMs })
      return { response: { delivery: id, ...response }, excerpt: excerpt === null ? null : redact(excerpt) }
    },
  }
}
