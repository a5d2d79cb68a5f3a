/** An error's message. If a host has several addresses, Node's error has one message per address and no other. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join("; ")
  return error.message
}
