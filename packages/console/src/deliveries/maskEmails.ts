/**
 * The part before the @ is masked up to white space, because e-mail addresses may contain almost any character
 * there. In quotation marks, which JSON in a text escapes, it may also contain white space. In a URL, the @ may be %40. A
 * reference or a site's name can be an e-mail address, too.
 *
 * Partners choose these texts, so the time is linear in their length: what is read before and after an @ ends at the next @.
 */
export function maskEmails(text: string): string {
  let masked = ""
  let end = 0
  for (const { 0: separator, index: at } of text.matchAll(/@|%40/g)) {
    const domain = at + separator.length
    let next = domain
    while (next < text.length && !endsDomain(text, next)) next++
    // The part before a later @ may contain %40.
    if (next === domain || (separator === "%40" && isSeparator(text, next))) continue
    const quoted = startOfQuoted(text, at, end)
    let start = quoted ?? at
    if (quoted === null) while (start > end && !endsLocalPart(text.charAt(start - 1))) start--
    if (start === at) continue
    const [first = ""] = quoted === null ? text.slice(start, start + 2) : []
    masked += `${text.slice(end, start)}${first}***${text.slice(at, next)}`
    end = next
  }
  return masked + text.slice(end)
}

const endsLocalPart = (character: string) => character === "@" || character === '"' || /\s/.test(character)
const isSeparator = (text: string, at: number) => text[at] === "@" || text.startsWith("%40", at)
const endsDomain = (text: string, at: number) =>
  isSeparator(text, at) || /[\s"<>(),;:/?#&=]/.test(text.charAt(at))

/** Longer ones are no addresses (RFC 5321). */
const longestLocalPart = 64

/** Where the quoted part before `at` begins. Null: there is none. */
function startOfQuoted(text: string, at: number, from: number): number | null {
  for (const quote of ['\\"', '"']) {
    if (!text.endsWith(quote, at)) continue
    const lowest = Math.max(from, at - longestLocalPart - 2 * quote.length)
    for (let start = at - quote.length - 1; start >= lowest; start--)
      if (text.startsWith(quote, start) && text[start - 1] !== "\\") return start
  }
  return null
}

/** The fields of a stored body with e-mail addresses masked. Null if the delivery was erased. */
export function maskedBody(body: Uint8Array): Record<string, unknown> | null {
  if (body.length === 0) return null
  const fields = Object.entries(JSON.parse(Buffer.from(body).toString("utf8")))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === "string" ? maskEmails(value) : value]),
  )
}
