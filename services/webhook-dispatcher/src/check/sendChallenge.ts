import { randomBytes } from "node:crypto"
import { type ChallengeReport, newDeliveryId } from "@sitewire/contracts"
import { testSiteReadyBody } from "@sitewire/signing/certification"
import type { Check } from "./check.ts"
import type { CheckedReceiver } from "./receiver.ts"

/**
 * Sends a test delivery with a random challenge in a header. Who runs the receiver agrees to get the channel's deliveries by
 * returning it in the same header of a 2xx response. It is stored nowhere: a check that is claimed again sends another one.
 */
export async function sendChallenge({ channel }: Check, receiver: CheckedReceiver): Promise<ChallengeReport> {
  const delivery = { id: newDeliveryId(), attempt: 1, body: testSiteReadyBody(channel.id) }
  const challenge = randomBytes(32).toString("base64url")
  const { challengeHeader } = receiver
  const headers = { ...receiver.genuineHeaders(delivery), [challengeHeader]: challenge }
  const { response, received } = await receiver.send(delivery, headers)
  const { status, error } = response
  const isReturned = received[challengeHeader.toLowerCase()] === challenge
  return { status, error: error ?? (isReturned ? null : "not-returned") }
}
