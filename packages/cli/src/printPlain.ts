/**
 * Text from elsewhere as it may stand on a terminal: control characters are spelled out, because a partner's
 * answer could otherwise move the cursor, set the window's title or fake lines.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, spellOut)
}

/** JSON as the API gave it, indented. C1 controls are escaped: JSON.stringify leaves them, terminals obey them. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/[\u007f-\u009f]/gu, unicodeEscape)
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
