/** Error messages quote mistyped arguments, and those may contain a connection's token. */
export function redactTokens(text: string): string {
  return text.replace(/swt_[A-Za-z0-9_-]+/g, "swt_[token]")
}
