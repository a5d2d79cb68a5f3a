import { sign, signatureHeader, standardWebhooksHeaders } from "@sitewire/signing"

export type DeliveryHeaders = ReturnType<typeof createDeliveryHeaders>

export function createDeliveryHeaders(serviceName: string) {
  const signature = signatureHeader(serviceName)

  /**
   * The first secret signs X-Sitewire-Signature. The headers of Standard Webhooks contain a signature by each
   * secret, so that the partner can switch at any time during a rotation.
   */
  return function deliveryHeaders(
    { id, attempt, body }: { id: string; attempt: number; body: Buffer },
    { secrets, standardWebhooks }: { secrets: readonly [string, ...string[]]; standardWebhooks: boolean },
  ): Record<string, string> {
    const timestamp = Math.floor(Date.now() / 1000)
    return {
      "content-type": "application/json",
      [signature]: sign(body, secrets[0]),
      [`X-${serviceName}-Delivery`]: id,
      [`X-${serviceName}-Attempt`]: String(attempt),
      ...(standardWebhooks ? standardWebhooksHeaders({ id, timestamp, body, secrets }) : {}),
    }
  }
}
