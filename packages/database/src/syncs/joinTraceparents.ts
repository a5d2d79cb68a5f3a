/** Each has 55 characters. */
const most = 8

/** SQL that joins lists of contexts, separated by spaces. The first ones are kept. Null if there is none. */
export function joinTraceparents(...columns: string[]): string {
  return `nullif(left(concat_ws(' ', ${columns.join(", ")}), ${most * 56 - 1}), '')`
}
