/** What is signed of a request without a body. It is JSON, because libraries of Standard Webhooks parse what they verify. */
export function sourceRequestText(method: string, url: string): string {
  return `"${method} ${url}"`
}
