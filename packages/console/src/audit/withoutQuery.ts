/** A URL as the audit log and keys of `read` see it, because its query may contain a credential. Other texts as they are. */
export function withoutQuery(text: string): string {
  return /^https?:\/\//.test(text) ? text.replace(/\?.*/s, "?…") : text
}
