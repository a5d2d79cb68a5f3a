/** A connection's token, wherever it slipped into a text. Mistyped arguments are quoted in error messages. */
export function withoutTokens(text: string): string {
  return text.replace(/swt_[A-Za-z0-9_-]+/g, "swt_[token]")
}
