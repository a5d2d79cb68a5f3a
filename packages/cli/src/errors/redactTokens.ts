/**
 * Removes tokens from an error message, because it can quote a mistyped argument that contains a connection's
 * token.
 */
export function redactTokens(text: string): string {
  return text.replace(/swt_[A-Za-z0-9_-]+/g, "swt_[token]")
}
