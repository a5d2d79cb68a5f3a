/** Places for runs under way: of `all`, as many as `hung` for connections whose last run hung. */
export type Places = { all: number; hung: number }

/**
 * Half of the places are kept from connections whose last run ran into a time limit. Each of these may hold its place for
 * as long again, so a host that hangs, or many, would otherwise make everybody else wait for minutes.
 */
export function placesOf(bound: number): Places {
  return { all: bound, hung: Math.max(1, Math.floor(bound / 2)) }
}

export function without(places: Places, taken: Places): Places {
  return { all: places.all - taken.all, hung: places.hung - taken.hung }
}
