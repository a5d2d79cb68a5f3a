import type { BlockedPartition } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"

export function openTransactionText(open: BlockedPartition, style: Style): string {
  const { topic, partition, first_offset, since, records } = open
  const begun = since === null ? "" : `, begun ${style.time(since)}`
  return `A publisher has a transaction open in partition ${partition} of ${topic} from offset ${first_offset} on${begun}. Records that wait for its end: ${records}.`
}
