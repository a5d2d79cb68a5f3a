const compactAbove = 64

/** The records of a partition that are not done, during one assignment. Memory grows only with their number. */
export function trackOffsets<R extends { offset: string }>() {
  // In offset order; null for a record that is done. Not a Set: V8 links each table that a Set outgrows to its successor.
  // If one is in the old generation, later records stay in memory until that is collected.
  const records: (R | null)[] = []
  const offsets: number[] = []
  let notDone = 0
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
    /** The records must be in offset order. */
    add(added: readonly R[]): void {
      for (const record of added) {
        records.push(record)
        offsets.push(Number(record.offset))
      }
      notDone += added.length
      const last = added.at(-1)
      if (last) end = String(BigInt(last.offset) + 1n)
    },
    /** There are no further records before the offset `next`. */
    reach(next: string): void {
      end = next
    },
    /** Returns false if the record is of another assignment, or was done before. */
    done(record: R): boolean {
      const index = indexOf(record)
      if (index < 0) return false
      records[index] = null
      notDone -= 1
      while (first < records.length && records[first] === null) first += 1
      if (records.length > compactAbove && records.length > 2 * notDone) compact()
      return true
    },
    /** The offset of the first record that is not done; if all are done, the next one. Null before any record. */
    committable: (): string | null => records[first]?.offset ?? end,
    notDone: () => records.filter((record) => record !== null),
  }
}
