/** The provider, or the browser that comes back from it, sent something that does not belong to the sign-in. */
const rejections = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "invalid_grant",
])

/**
 * Errors of openid-client contain claims and tokens, so only their codes may be logged. Whatever is not a rejection
 * means that the provider is unavailable, or that it and this console are not configured for each other.
 */
export function describeFailure(error: unknown): { isRejection: boolean; reason: string } {
  const codes = codesOf(error)
  return { isRejection: codes.some((code) => rejections.has(code)), reason: codes.join(" ") || "unknown" }
}

/** The codes of an error and of its causes, such as OAUTH_RESPONSE_BODY_ERROR, invalid_client or ECONNREFUSED. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const own = [error.name, "code" in error ? error.code : "", "error" in error ? error.error : ""]
  const named = own.filter((code): code is string => typeof code === "string" && /^\w{2,60}$/.test(code))
  return [...named, ...codesOf(error.cause)]
}
