export type Random = {
  next(): number
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  pick<T>(items: readonly T[]): T
  shuffle<T>(items: readonly T[]): T[]
}

/** The same seed gives the same numbers (mulberry32), so that a run can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick<T>(items: readonly T[]): T {
      const item = items[between(0, items.length - 1)]
      if (item === undefined) throw new Error("there is nothing to pick from")
      return item
    },
    shuffle<T>(items: readonly T[]): T[] {
      const shuffled = [...items]
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = between(0, at)
        const [a, b] = [shuffled[at], shuffled[other]]
        if (a !== undefined && b !== undefined) [shuffled[at], shuffled[other]] = [b, a]
      }
      return shuffled
    },
  }
}
