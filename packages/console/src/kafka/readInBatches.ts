import type { Offsets } from "@sitewire/kafka"
import type { InvalidTopic } from "../jobs/job.ts"

/** Reading joins a consumer group, which takes up to seconds: a piece is large enough to be worth it. */
export const piece = { maxRecords: 5_000, maxBytes: 8 * 1024 * 1024 }

/** What the topic of refused records holds between two places, piece by piece, so that only one is in memory. */
export async function* readPieces(invalid: InvalidTopic, from: Offsets, to: Offsets) {
  for (let next = from, ended = false; !ended; ) {
    const read = await invalid.read({ from: next, to, ...piece })
    yield read
    ended = read.ended
    next = read.next
  }
}
