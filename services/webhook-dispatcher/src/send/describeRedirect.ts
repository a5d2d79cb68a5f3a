const longestHost = 260

/**
 * Tells the partner where a redirect leads. Names only the origin, because the path may contain a credential.
 */
export function describeRedirect(status: number, location: string | undefined, from: string): string | null {
  if (status < 300 || status > 399 || location === undefined) return null
  const to = URL.parse(location, from)
  if (to === null || !/^https?:$/.test(to.protocol) || to.host.length > longestHost)
    return "redirects are not followed, and this one does not point to a web address"
  const target = to.origin === new URL(from).origin ? "another path of the same server" : to.origin
  return `redirects are not followed: this one points to ${target}; set the channel's address to the final one`
}
