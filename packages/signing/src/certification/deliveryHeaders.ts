import { sign } from "../sender/sign.ts"
import { signatureHeader } from "../sender/signatureHeader.ts"
import { standardWebhooksHeaders } from "../sender/standardWebhooks.ts"

/** Throws a TypeError if the service's name cannot stand in a header name. */
export function createDeliveryHeaders(serviceName: string) {
  const signature = signatureHeader(serviceName)

  /**
   * The headers of one attempt. The first secret signs X-Sitewire-Signature. The headers of Standard Webhooks contain a signature
   * by each secret, so that the partner can switch at any time during a rotation. `timestamp`: of the attempt, in whole seconds
   * since 1970; default: now.
   */
  return function deliveryHeaders(
    { id, attempt, body }: { id: string; attempt: number; body: Buffer },
    {
      secrets,
      standardWebhooks,
      timestamp = Math.floor(Date.now() / 1000),
    }: { secrets: readonly [string, ...string[]]; standardWebhooks: boolean; timestamp?: number },
  ): Record<string, string> {
    return {
      "content-type": "application/json",
      [signature]: sign(body, secrets[0]),
      [`X-${serviceName}-Delivery`]: id,
      [`X-${serviceName}-Attempt`]: String(attempt),
      ...(standardWebhooks ? standardWebhooksHeaders({ id, timestamp, body, secrets }) : {}),
    }
  }
}
