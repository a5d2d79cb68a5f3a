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

/** Fewer places than this are not worth closing up. */
const fewPlaces = 64

export function trackOffsets<R extends { offset: string }>(): OffsetTracker<R> {
  // In the order of the log; null where a record is done. Arrays and not a Set: decision 0019.
  const records: (R | null)[] = []
  const offsets: number[] = []
  let notDone = 0
  /** No record before this place is left. */
  let first = 0
  let end: string | null = null

  function placeOf(record: R): number {
    const offset = Number(record.offset)
    let low = first
    let high = offsets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((offsets[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    // Beyond 2^53, neighbours share a number.
    while (offsets[low] === offset && records[low] !== record) low += 1
    return records[low] === record ? low : -1
  }

  function closeUp(): void {
    let to = 0
    records.forEach((record, from) => {
      if (record === null) return
      records[to] = record
      offsets[to] = offsets[from] ?? 0
      to += 1
    })
    records.length = to
    offsets.length = to
    first = 0
  }

  return {
    add(added) {
      for (const record of added) {
        records.push(record)
        offsets.push(Number(record.offset))
      }
      notDone += added.length
      const last = added.at(-1)
      if (last) end = String(BigInt(last.offset) + 1n)
    },
    done(record) {
      const place = placeOf(record)
      if (place < 0) return false
      records[place] = null
      notDone -= 1
      while (first < records.length && records[first] === null) first += 1
      if (records.length > fewPlaces && records.length > 2 * notDone) closeUp()
      return true
    },
    committable: () => records[first]?.offset ?? end,
    notDone: () => records.filter((record) => record !== null),
  }
}
