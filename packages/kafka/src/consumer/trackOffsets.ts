/** The records of one partition, in one assignment, that are not done. Memory grows only with those. */
export type OffsetTracker<R> = {
  /** In offset order. Compaction may leave gaps. */
  add(records: readonly R[]): void
  /** False for a record of another assignment, or done before. */
  done(record: R): boolean
  /** Offset of the first record that is not done, or one past the last; null before any record. */
  committable(): string | null
  notDone(): Iterable<R>
}

const compactAbove = 64

export function trackOffsets<R extends { offset: string }>(): OffsetTracker<R> {
  // In offset order; null for a record that is done. Arrays and not a Set: decision 0019.
  const records: (R | null)[] = []
  const offsets: number[] = []
  let notDone = 0
  /** All records before this index are done. */
  let first = 0
  let end: string | null = null

  function indexOf(record: R): number {
    const offset = Number(record.offset)
    let low = first
    let high = offsets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((offsets[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    // Above 2^53, neighbouring offsets round to the same number.
    while (offsets[low] === offset && records[low] !== record) low += 1
    return records[low] === record ? low : -1
  }

  function compact(): void {
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
      const index = indexOf(record)
      if (index < 0) return false
      records[index] = null
      notDone -= 1
      while (first < records.length && records[first] === null) first += 1
      if (records.length > compactAbove && records.length > 2 * notDone) compact()
      return true
    },
    committable: () => records[first]?.offset ?? end,
    notDone: () => records.filter((record) => record !== null),
  }
}
