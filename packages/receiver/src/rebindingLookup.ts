/** A DNS lookup under rebinding: the first lookup, which is checked, returns `vetted`, and later ones `afterwards`. */
export function rebindingLookup(vetted: string, afterwards: string): () => Promise<string[]> {
  let lookups = 0
  return async () => [lookups++ === 0 ? vetted : afterwards]
}
