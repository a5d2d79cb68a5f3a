import { invalidRecordHeaders } from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Unresolved } from "./reconcilePosition.ts"

/** Returns those of `unresolved` that are not the origin of one of these records of site.paid.invalid. */
export function withoutInvalid(
  unresolved: readonly Unresolved[],
  topic: string,
  invalid: readonly ConsumerRecord[],
): Unresolved[] {
  const origins = new Set(
    invalid
      .filter(({ headers }) => headers[invalidRecordHeaders.topic] === topic)
      .map(
        ({ headers }) => `${headers[invalidRecordHeaders.partition]}:${headers[invalidRecordHeaders.offset]}`,
      ),
  )
  return unresolved.filter(({ partition, offset }) => !origins.has(`${partition}:${offset}`))
}
