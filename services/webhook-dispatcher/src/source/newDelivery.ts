import {
  clockMarginMs,
  deliveryIdOf,
  onlyEmailDigest,
  readCorrelation,
  referenceDigest,
  type SitePaid,
  sha256,
  siteDigest,
  sitePaidMaxAgeMs,
  siteReadyBody,
} from "@sitewire/contracts"
import type { NewDelivery } from "@sitewire/deliveries"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Traceparent } from "@sitewire/runtime"

/** The delivery of a valid event. */
export function newDelivery(
  record: ConsumerRecord,
  paid: SitePaid,
  traceparent: Traceparent | null,
): NewDelivery {
  const body = siteReadyBody(paid)
  const appendedAt = plausibleTime(record)
  return {
    id: deliveryIdOf(paid.id, appendedAt),
    eventId: paid.id,
    channelId: paid.channel,
    body,
    bodySha256: sha256(body),
    searchDigests: Buffer.concat([referenceDigest(paid.reference), siteDigest(paid.site_url)]),
    emailSha256: onlyEmailDigest(paid),
    correlation: readCorrelation(record) ?? paid.id,
    traceparent,
    appendedAt,
  }
}

/**
 * The record's time. The broker's is taken as it is, so that no other clock changes the delivery's id. Where the topic is not ours
 * to configure, a publisher's clock may set it: a time in the future, or one at which Kafka would have deleted the record, is
 * replaced by that of consumption. Only the equal delivery id of a repetition is then lost.
 */
function plausibleTime({ appendedAt, timeFrom }: ConsumerRecord): number {
  if (timeFrom === "broker") return appendedAt
  const now = Date.now()
  const isPlausible =
    appendedAt <= now + clockMarginMs && appendedAt >= now - sitePaidMaxAgeMs - clockMarginMs
  return isPlausible ? appendedAt : now
}
