import {
  type InvalidEvent,
  identifierSchema,
  invalidRecordHeaders,
  parseJson,
  sitePaidSchema,
} from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import { z } from "zod"

export type InvalidRecord = Omit<InvalidEvent, "delivery">

export function invalidEventResponse({ value, headers, appendedAt }: ConsumerRecord): InvalidRecord {
  const { reason, topic, partition, offset } = invalidRecordHeaders
  const fields = parseFields(value)
  return {
    rejected_at: new Date(appendedAt).toISOString(),
    reason: headers[reason] ?? "",
    event_id: sitePaidSchema.shape.id.safeParse(fields.id).data ?? null,
    channel: identifierSchema.safeParse(fields.channel).data ?? null,
    bytes: value?.byteLength ?? null,
    from: `${headers[topic]} ${headers[partition]} ${headers[offset]}`,
  }
}

/** Reads the id and the channel, which are not personal data. Empty if the value is not a JSON object. */
function parseFields(value: Uint8Array | null): { id?: unknown; channel?: unknown } {
  return z.looseObject({}).safeParse(parseJson(String(value))).data ?? {}
}
