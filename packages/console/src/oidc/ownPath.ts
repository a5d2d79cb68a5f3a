/** The path to which a sign-in returns. Anything but a path of this origin becomes `/`. */
export function ownPath(text: unknown, origin: string): string {
  if (typeof text !== "string" || !text.startsWith("/") || text.length > 500) return "/"
  if (!URL.canParse(text, origin)) return "/"
  const url = new URL(text, origin)
  // A path that begins with two slashes would lead to another host.
  const isOwn = url.origin === origin && !url.pathname.startsWith("//")
  return isOwn ? `${url.pathname}${url.search}${url.hash}` : "/"
}
