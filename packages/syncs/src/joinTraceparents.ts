/** How many contexts a row stores at most. */
const most = 8

/**
 * SQL that joins lists of contexts. A context has 55 characters, and a space separates two. Of too many contexts, the last
 * are dropped. Null if there is none.
 */
export function joinTraceparents(...columns: string[]): string {
  return `nullif(left(concat_ws(' ', ${columns.join(", ")}), ${most * 56 - 1}), '')`
}
