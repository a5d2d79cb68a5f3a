/**
 * A name server's answers under DNS rebinding: the first question, which is vetted, gets `vetted`, and every later
 * one gets `afterwards`. For what takes its lookup as an argument; a process cannot be given one.
 */
export function rebindingLookup(vetted: string, afterwards: string): () => Promise<string[]> {
  let asked = 0
  return async () => [asked++ === 0 ? vetted : afterwards]
}
