/**
 * The part before the @ is masked up to white space, because e-mail addresses may contain almost any character
 * there. A reference or a site's name can be an e-mail address, too.
 */
const emails = /([^\s@"])[^\s@"]*@([^\s@"<>(),;:/?#&=]+)/gu

export function maskEmails(text: string): string {
  return text.replace(emails, "$1***@$2")
}

/** The fields of a stored body with e-mail addresses masked. Null if the delivery was erased. */
export function maskedBody(body: Uint8Array): Record<string, unknown> | null {
  if (body.length === 0) return null
  const fields = Object.entries(JSON.parse(Buffer.from(body).toString("utf8")))
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === "string" ? maskEmails(value) : value]),
  )
}
