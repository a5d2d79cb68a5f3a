/**
 * The same text for all spellings of a site's URL: without its scheme, its usual port, and slashes or a full
 * stop at the end.
 */
export function normalizeSiteUrl(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return url
  const { hostname, port, pathname, search } = parsed
  return `${hostname.replace(/\.$/, "")}:${port}${pathname.replace(/\/+$/, "")}${search}`
}
