/**
 * Escapes control characters. Otherwise text from elsewhere, such as a partner's response, could move the
 * cursor, set the window's title or imitate a line of our output.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, escapeCharacter)
}

export function escapeLines(text: string): string {
  return text.split("\n").map(escapeControls).join("\n")
}

/** Indented JSON. Control characters that JSON.stringify does not escape are escaped, too. */
export function formatJson(value: unknown): string {
  return escapeLines(JSON.stringify(value, null, 2))
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n"
  if (character === "\r") return "\\r"
  if (character === "\t") return "\\t"
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}
