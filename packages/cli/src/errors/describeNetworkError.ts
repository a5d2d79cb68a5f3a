const words: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "its name cannot be resolved",
  EAI_AGAIN: "its name cannot be resolved at the moment",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "the connection was cut",
}

/** Why a fetch got no answer, from error codes alone: messages can quote the URL, and the URL can be a secret. */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed"
  if (error.name === "TimeoutError") return "it did not answer in time"
  // fetch opens no connection to ports that browsers block (1, 22, 6000, …).
  if (error.cause instanceof Error && error.cause.message === "bad port") return "fetch blocks its port"
  const code = codeOf(error) ?? codeOf(error.cause)
  return code === null ? "the request failed" : (words[code] ?? code)
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Names with several addresses fail with one error for each of them.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return "code" in error && typeof error.code === "string" ? error.code : null
}
