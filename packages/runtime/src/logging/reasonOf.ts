/**
 * An error's message. If no address of a host accepts a connection, Node's error contains one error per
 * address, and its own message is empty.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join("; ")
  return error.message
}
