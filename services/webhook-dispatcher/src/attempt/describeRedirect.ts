/** A name has 253 characters at most. */
const longestHost = 260

/**
 * Where an answer would have sent the delivery, for the partner to read: most redirects are an address that was given with
 * `http:`, without `www.` or with a missing slash. Only the origin is named, as a path may hold what authorises a call.
 * Null where the answer is no redirect.
 */
export function describeRedirect(status: number, location: string | undefined, from: string): string | null {
  if (status < 300 || status > 399 || location === undefined) return null
  const to = URL.parse(location, from)
  if (to === null || !/^https?:$/.test(to.protocol) || to.host.length > longestHost)
    return "redirects are not followed, and where this one leads is no web address"
  const where = to.origin === new URL(from).origin ? "another path of the same server" : to.origin
  return `redirects are not followed: it leads to ${where}; the channel's address must be the final one`
}
