/** The start of an absolute URL (`http://host`), which clients send to proxies. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/**
 * The path and the query of a request's target, from which Express reads no host: a target that is no path, or begins like a
 * host (`//`), becomes a path that has no route. Express lets Node parse some targets, and Node prints those with a malformed
 * host in a warning, tokens included.
 */
export function requestPath(target: string): string {
  const rest = target.replace(origin, "")
  const path = rest.startsWith("/") ? rest : `/${rest}`
  // Node reads a backslash as a slash.
  return /^.[/\\]/.test(path) ? `/.${path}` : path
}
