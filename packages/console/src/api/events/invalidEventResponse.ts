import { isUtf8 } from "node:buffer"
import {
  type InvalidEvent,
  identifierSchema,
  invalidRecordHeaders,
  parseJson,
  readCorrelation,
  sitePaidSchema,
} from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import { z } from "zod"

export type InvalidRecord = Omit<InvalidEvent, "delivery">

export function invalidEventResponse(record: ConsumerRecord): InvalidRecord {
  const { value, headers, appendedAt, key, original } = record
  const { reason, topic, partition, offset } = invalidRecordHeaders
  const fields = parseFields(value)
  return {
    rejected_at: new Date(appendedAt).toISOString(),
    reason: headers[reason] ?? "",
    event_id: readId(typeof fields.id === "number" ? String(fields.id) : fields.id),
    key: isUtf8(original.key ?? Buffer.alloc(0)) ? readId(key) : null,
    correlation: readCorrelation(record),
    channel: identifierSchema.safeParse(fields.channel).data ?? null,
    bytes: value?.byteLength ?? null,
    from: `${headers[topic]} ${headers[partition]} ${headers[offset]}`,
  }
}

function readId(id: unknown): string | null {
  return sitePaidSchema.shape.id.safeParse(id).data ?? null
}

/** Reads the id and the channel, which are not personal data. Empty if the value is not a JSON object. */
function parseFields(value: Uint8Array | null): { id?: unknown; channel?: unknown } {
  return z.looseObject({}).safeParse(parseJson(String(value))).data ?? {}
}
