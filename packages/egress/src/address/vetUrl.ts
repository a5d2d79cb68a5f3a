import { isIP } from "node:net"
import type { AddressPolicy } from "./addressPolicy.ts"
import { DENIED, vetIpAddress } from "./vetIpAddress.ts"

export type UrlRejection =
  | "unparsable"
  | "scheme"
  | "credentials"
  | "fragment"
  | "host"
  | "port"
  | "blocked-address"

/** `message` never contains the path, the query or credentials. */
export type UrlVerdict =
  | { kind: "ok"; url: URL }
  | { kind: "rejected"; reason: UrlRejection; message: string }

/** Does not look up names: the addresses of a name are vetted at each call. Returns the normalised URL. */
export function vetUrl(text: string, policy: AddressPolicy): UrlVerdict {
  if (!URL.canParse(text)) {
    return reject("unparsable", "this is not an absolute URL: write it like https://partner.example/hook")
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && policy.allowHttp)) {
    // The message does not repeat the scheme: in `user:password@host`, the scheme is the user name.
    return reject("scheme", `the scheme must be https${policy.allowHttp ? " or http" : ""}`)
  }
  if (url.username !== "" || url.password !== "") {
    return reject(
      "credentials",
      "the URL contains a user name or password: remove them. Give the credentials of a source as a request header",
    )
  }
  if (url.hash !== "" || text.includes("#")) {
    return reject("fragment", "the URL has a fragment (#…), which is never sent: remove it")
  }
  const port = portOf(url)
  if (!policy.ports.some(([first, last]) => first <= port && port <= last))
    return reject("port", `port ${port} is not called: use 443, or ask the operator to allow it`)

  const host = hostOf(url)
  if (isIP(host) === 0 && !isHostName(host))
    return reject("host", "the host is neither a DNS name nor an IP address")
  // RFC 6761: localhost names always resolve to loopback.
  const ip = isIP(host) !== 0 ? host : isLocalhost(host) ? "127.0.0.1" : undefined
  const verdict = ip === undefined ? undefined : vetIpAddress(ip, policy)
  if (verdict?.kind === "blocked") {
    const why = verdict.range === DENIED ? DENIED : `not a public address (${verdict.range})`
    return reject("blocked-address", `${host} is not called, because it is ${why}: use another host`)
  }
  return { kind: "ok", url }
}

export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
}

export function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
}

export function isLocalhost(host: string): boolean {
  const name = withoutFinalDot(host)
  return name === "localhost" || name.endsWith(".localhost")
}

export function withoutFinalDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host
}

function isHostName(host: string): boolean {
  const name = withoutFinalDot(host)
  return name.length <= 253 && name.split(".").every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label))
}

function reject(reason: UrlRejection, message: string): UrlVerdict {
  return { kind: "rejected", reason, message }
}
