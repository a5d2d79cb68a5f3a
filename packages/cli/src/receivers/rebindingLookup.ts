/**
 * Imitates DNS rebinding: the first lookup, which the caller vets, returns `vetted`, and later ones return
 * `afterwards`.
 */
export function rebindingLookup(vetted: string, afterwards: string): () => Promise<string[]> {
  let lookups = 0
  return async () => [lookups++ === 0 ? vetted : afterwards]
}
