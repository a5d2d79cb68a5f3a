import { isIP } from "node:net"
import type { AddressPolicy } from "./addressPolicy.ts"
import { vetAddress } from "./vetIpAddress.ts"

export type UrlRefusal =
  | "unparsable"
  | "scheme"
  | "credentials"
  | "fragment"
  | "host"
  | "port"
  | "blocked-address"

/** `message` is for the person who set the address; it never repeats the path, the query or credentials. */
export type UrlVerdict = { kind: "ok"; url: URL } | { kind: "refused"; reason: UrlRefusal; message: string }

/**
 * Vets an address as far as that is possible without asking a name server: what the name resolves to is
 * vetted at each call. `url` in the answer is normalised; decimal, octal and hexadecimal spellings of IPv4
 * hosts have become dotted decimal and were vetted as such.
 */
export function vetUrl(text: string, policy: AddressPolicy): UrlVerdict {
  if (!URL.canParse(text)) {
    return refuse("unparsable", "this is not an absolute URL: write it like https://partner.example/hook")
  }
  const url = new URL(text)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && policy.allowHttp)) {
    // Not repeated: of an address without a scheme, it is the user name.
    return refuse("scheme", `the scheme must be https${policy.allowHttp ? " or http" : ""}`)
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("credentials", "the URL holds a user name or password: put a secret into the path or query")
  }
  if (url.hash !== "" || text.includes("#")) {
    return refuse("fragment", "the URL has a fragment (#…), which is never sent: remove it")
  }
  if (url.port === "0") return refuse("port", "port 0 cannot be called: give the port of your server")

  const host = hostOf(url)
  if (isIP(host) === 0 && !isHostName(host))
    return refuse("host", "the host is not a name in DNS nor an IP address")
  // RFC 6761: these names are loopback wherever they are resolved, so the answer is known now.
  const literal = isIP(host) !== 0 ? host : isLocalhost(host) ? "127.0.0.1" : undefined
  const verdict = literal === undefined ? undefined : vetAddress(literal, policy)
  if (verdict?.kind === "blocked") {
    return refuse("blocked-address", `${host} is not a public address (${verdict.range}) and is not called`)
  }
  return { kind: "ok", url }
}

/** Host without the brackets of an IPv6 literal. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
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

function refuse(reason: UrlRefusal, message: string): UrlVerdict {
  return { kind: "refused", reason, message }
}
