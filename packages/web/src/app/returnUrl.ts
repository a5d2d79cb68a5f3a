const name = "return-url"

/** OpenID Connect leaves the page, and comes back to its start. */
export function rememberUrl(): void {
  const { pathname, search } = window.location
  if (pathname !== "/sign-in") sessionStorage.setItem(name, pathname + search)
}

/** Null if none is remembered. */
export function takeUrl(): string | null {
  const url = sessionStorage.getItem(name)
  sessionStorage.removeItem(name)
  return url
}
