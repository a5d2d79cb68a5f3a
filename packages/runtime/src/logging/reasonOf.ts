/** An error in one line. Of a host with several addresses, Node's error has a text for each and none of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join("; ")
  return error.message
}
