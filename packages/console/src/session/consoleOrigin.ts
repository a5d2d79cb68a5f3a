import type { IncomingHttpHeaders } from "node:http"
import { isLoopback } from "@sitewire/runtime"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"

/** The origin at which browsers open the web console. */
export type ConsoleOrigin = {
  isSecure: boolean
  /** For links to the console. */
  of(headers: IncomingHttpHeaders): string
  /** A problem if another page sent the request, or if the console has another address than the page's. */
  reject(headers: IncomingHttpHeaders): Problem | null
}

/**
 * Without `configured`, the console is reached by http at a loopback address with any port, such as that of a port
 * forwarding. No other name is accepted, because an attacker's name could resolve to a loopback address.
 */
export function consoleOrigin({
  configured,
  port,
}: {
  configured: string | undefined
  port: number
}): ConsoleOrigin {
  const own = (headers: IncomingHttpHeaders) => configured ?? loopbackOrigin(headers.host)
  return {
    isSecure: configured?.startsWith("https:") ?? false,
    of: (headers) => own(headers) ?? `http://127.0.0.1:${port}`,
    reject(headers) {
      const expected = own(headers)
      if (expected === null) {
        return problem(
          "foreign-origin",
          "Set CONSOLE_ORIGIN to the address at which browsers open the console, such as https://console.example. Without it, only http at a loopback address is accepted.",
        )
      }
      const { origin, "sec-fetch-site": site } = headers
      const isOwn =
        (origin === undefined || origin === expected) &&
        (site === undefined || site === "same-origin" || site === "none")
      if (isOwn) return null
      return problem(
        "foreign-origin",
        `Only pages of ${expected} may send this request. If this is not the address of the console, correct CONSOLE_ORIGIN.`,
      )
    },
  }
}

function loopbackOrigin(host: string | undefined): string | null {
  const url = `http://${host}`
  if (host === undefined || !URL.canParse(url)) return null
  const { hostname, origin } = new URL(url)
  return isLoopback(hostname) ? origin : null
}
