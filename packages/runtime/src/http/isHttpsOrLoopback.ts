export const httpsOrLoopback = "must begin with https://, or with http:// and a loopback address"

export function isHttpsOrLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === "https:" || isLoopback(hostname)
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname)
}
