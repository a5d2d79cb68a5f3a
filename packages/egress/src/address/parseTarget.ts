import { isIP } from "node:net"
import type { AddressPolicy } from "./addressPolicy.ts"
import { hostOf, portOf, vetUrl, withoutFinalDot } from "./vetUrl.ts"

export type Target = {
  origin: string
  host: string
  port: number
  tls: boolean
  /** Undefined for an IP address. */
  servername: string | undefined
  /** Undefined for a name, which is looked up at each call. */
  ips: readonly string[] | undefined
  path: string
}

type ParsedTarget = { kind: "ok"; target: Target } | { kind: "rejected"; message: string }

// Parsed URLs are cached, because parsing and vetting takes 3 µs. The addresses of a name are not part of it.
const MAX_CACHED = 4_096

export function createTargetCache(policy: AddressPolicy): (url: string) => ParsedTarget {
  const cache = new Map<string, ParsedTarget>()
  return function targetOf(url) {
    let result = cache.get(url)
    if (result === undefined) {
      result = parseTarget(url, policy)
      if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value ?? "")
      cache.set(url, result)
    }
    return result
  }
}

function parseTarget(text: string, policy: AddressPolicy): ParsedTarget {
  const verdict = vetUrl(text, policy)
  if (verdict.kind === "rejected") return verdict
  const { url } = verdict
  const host = hostOf(url)
  const tls = url.protocol === "https:"
  const isIpAddress = isIP(host) !== 0
  const target: Target = {
    origin: url.origin,
    host,
    port: portOf(url),
    tls,
    servername: isIpAddress ? undefined : withoutFinalDot(host),
    ips: isIpAddress ? [host] : undefined,
    path: url.pathname + url.search,
  }
  return { kind: "ok", target }
}
