/**
 * Returns the error's message. If no address of a host accepts a connection, Node's error has an empty
 * message and contains one error per address.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join("; ")
  return error.message
}
