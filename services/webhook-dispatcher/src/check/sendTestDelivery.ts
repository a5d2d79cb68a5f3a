import { newDeliveryId, type TestDelivery } from "@sitewire/contracts"
import { testSiteReadyBody } from "@sitewire/signing/certification"
import { shownHeaderRecord } from "../send/shownHeaders.ts"
import type { Check } from "./claimChecks.ts"
import type { CheckedReceiver } from "./receiver.ts"

/**
 * Sends one delivery with fictional data, exactly as a genuine one, and returns the attempt. A secret's test is signed by the
 * other secret. Null: there is none.
 */
export async function sendTestDelivery(
  { kind, channel }: Check,
  receiver: CheckedReceiver,
): Promise<TestDelivery | null> {
  const [headersOf, secret] =
    kind === "secret_test"
      ? [receiver.otherHeaders, channel.otherSecret]
      : [receiver.genuineHeaders, channel.secret]
  if (headersOf === null || secret === null) return null
  const delivery = { id: newDeliveryId(), attempt: 1, body: testSiteReadyBody(channel.id) }
  const headers = headersOf(delivery)
  const { response, excerpt, ip, timing } = await receiver.send(delivery, headers)
  const { status, error, detail, duration_ms } = response
  return {
    delivery: delivery.id,
    attempt: {
      number: 1,
      started_at: timing.startedAt.toISOString(),
      duration_ms,
      lookup_ms: timing.lookupMs ?? null,
      connect_ms: timing.connectMs ?? null,
      tls_ms: timing.tlsMs ?? null,
      first_byte_ms: timing.firstByteMs ?? null,
      status,
      error,
      detail,
      ip,
      url: channel.address,
      request_headers: shownHeaderRecord({ ...receiver.hiddenHeaders, ...headers }),
      secret_id: secret.id,
      response_excerpt: excerpt,
    },
  }
}
