/**
 * The `Retry-After` of a 429 or 503 in milliseconds. The header contains seconds or a date (RFC 9110,
 * 10.2.3). Undefined if it is unusable.
 */
export function readRetryAfter(status: number, header: string | undefined, now: Date): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime())
}
