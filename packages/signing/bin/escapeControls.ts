/** What a receiver responds cannot control the terminal: control characters are shown as their code. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
