import { formatCounted } from "../../format.ts"

/** So many are shown each for itself. The health of each failing channel is read, one after the other. */
const shown = 10

/** The first of a list, and how many there are besides, such as `12` or `90+`, or null if there are no others. */
export function firstOf<T>(page: { data: T[]; next_cursor: string | null } | undefined): {
  first: T[]
  others: string | null
} {
  const { data, next_cursor } = page ?? { data: [], next_cursor: null }
  const count = data.length - shown
  const others = count > 0 ? formatCounted(count, next_cursor !== null) : null
  return { first: data.slice(0, shown), others }
}
