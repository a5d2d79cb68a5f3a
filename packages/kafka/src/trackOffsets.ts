/**
 * Knows which records of one partition, in one assignment, are not done, and from that how far the partition may
 * be committed. Memory grows with the records that are not done, never with those that are: behind one record
 * that hangs, a million others can be done without trace.
 */
export type OffsetTracker<R> = {
  /** In the order of the log. Offsets may have gaps (compaction). */
  add(records: readonly R[]): void
  /** False if the record is not one of this assignment's, or was done before. */
  done(record: R): boolean
  /** The offset to commit: of the first record that is not done, or one past the last; null before any record. */
  committable(): string | null
  notDone(): Iterable<R>
}

export function trackOffsets<R extends { offset: string }>(): OffsetTracker<R> {
  // A Set keeps the order of insertion, so its first member is the lowest offset that is not done.
  const notDone = new Set<R>()
  let end: string | null = null
  return {
    add(records) {
      for (const record of records) notDone.add(record)
      const last = records.at(-1)
      if (last) end = String(BigInt(last.offset) + 1n)
    },
    done: (record) => notDone.delete(record),
    committable() {
      for (const first of notDone) return first.offset
      return end
    },
    notDone: () => notDone,
  }
}
