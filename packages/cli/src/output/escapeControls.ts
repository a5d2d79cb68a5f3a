/**
 * Text from elsewhere as it may stand on a terminal: control characters are spelled out, because a partner's
 * answer could otherwise move the cursor, set the window's title or fake lines.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, spellOut)
}

/** The same for a text of ours that quotes from elsewhere: its line breaks stay. */
export function plainLines(text: string): string {
  return text.split("\n").map(plain).join("\n")
}

/** JSON as the API gave it, indented. What terminals obey and JSON.stringify leaves is escaped, which means the same. */
export function jsonText(value: unknown): string {
  return plainLines(JSON.stringify(value, null, 2))
}

function spellOut(character: string): string {
  if (character === "\n") return "\\n"
  if (character === "\r") return "\\r"
  if (character === "\t") return "\\t"
  return unicodeEscape(character)
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}
