/** The plural of a noun, which is an alias of its group: `deliveries list`. Null if it is one already. */
export function pluralOf(noun: string): string | null {
  if (noun.endsWith("s")) return null
  return /[^aeiou]y$/.test(noun) ? noun.replace(/y$/, "ies") : `${noun}s`
}
