/** The plural of a noun, which is an alias of its group: `deliveries list`. */
export function pluralOf(noun: string): string {
  if (noun.endsWith("s")) return noun
  return /[^aeiou]y$/.test(noun) ? noun.replace(/y$/, "ies") : `${noun}s`
}
