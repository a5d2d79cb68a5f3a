/** The plural of a noun, which is an alias of its group: `deliveries list`. */
export function pluralOf(noun: string): string {
  return /[^aeiou]y$/.test(noun) ? noun.replace(/y$/, "ies") : `${noun}s`
}
