const descriptions: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before the response was complete",
  ENOTFOUND: "its host name cannot be resolved",
  EAI_AGAIN: "its host name cannot be resolved at the moment",
  EHOSTUNREACH: "there is no network route to it",
  ENETUNREACH: "there is no network route to it",
  ETIMEDOUT: "it does not respond",
  UND_ERR_CONNECT_TIMEOUT: "it does not respond",
  UND_ERR_SOCKET: "the connection was closed before the response was complete",
}

/** Uses error codes only: error messages can quote the URL, and the URL can contain a token. */
export function describeNetworkError(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed"
  if (error.name === "TimeoutError") return "it did not respond in time"
  // fetch connects to none of the ports that browsers block (1, 22, 6000, …).
  if (error.cause instanceof Error && error.cause.message === "bad port") return "fetch blocks its port"
  const code = codeOf(error) ?? codeOf(error.cause)
  return code === null ? "the request failed" : (descriptions[code] ?? code)
}

/** True if the request had been sent, so that it may have taken effect. */
export function wasLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error) ?? codeOf(error.cause)
  // fetch's own limit for a connection is shorter than our time-outs, and has another error.
  return (
    error.name === "TimeoutError" || code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET"
  )
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // If a host has several addresses, the error contains one error per address.
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return "code" in error && typeof error.code === "string" ? error.code : null
}
