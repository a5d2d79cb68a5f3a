import { reasonOf } from "@sitewire/runtime"

export class KafkaUnavailable extends Error {
  override name = "KafkaUnavailable"
}

export function unavailable(cause: unknown): never {
  throw new KafkaUnavailable(reasonOf(cause), { cause })
}
