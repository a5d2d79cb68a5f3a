import { isIP } from "node:net"
import type { AddressPolicy } from "./addressPolicy.ts"
import { hostOf, vetUrl, withoutFinalDot } from "./vetUrl.ts"

/** A vetted URL, taken apart as far as a call needs it. */
export type Target = {
  origin: string
  host: string
  port: number
  tls: boolean
  /** Undefined for an IP address: it has no server name, and its certificate must hold the address itself. */
  servername: string | undefined
  /** The vetted address, if the URL holds one; else the name must be looked up at each call. */
  literal: readonly string[] | undefined
  /** Path and query. */
  path: string
}

export type TargetOf = (url: string) => { kind: "ok"; target: Target } | { kind: "refused"; message: string }

// Parsing and vetting a URL costs 3 µs, and the same few thousand addresses are called all the time. Both
// depend on the text alone, unlike the addresses of a name, which are not kept.
const KEPT = 4_096

export function createTargetOf(policy: AddressPolicy): TargetOf {
  const kept = new Map<string, ReturnType<TargetOf>>()
  return function targetOf(url) {
    let result = kept.get(url)
    if (result === undefined) {
      result = parseTarget(url, policy)
      if (kept.size >= KEPT) kept.delete(kept.keys().next().value ?? "")
      kept.set(url, result)
    }
    return result
  }
}

function parseTarget(text: string, policy: AddressPolicy): ReturnType<TargetOf> {
  const verdict = vetUrl(text, policy)
  if (verdict.kind === "refused") return verdict
  const { url } = verdict
  const host = hostOf(url)
  const tls = url.protocol === "https:"
  const isLiteral = isIP(host) !== 0
  const target: Target = {
    origin: url.origin,
    host,
    port: url.port === "" ? (tls ? 443 : 80) : Number(url.port),
    tls,
    servername: isLiteral ? undefined : withoutFinalDot(host),
    literal: isLiteral ? [host] : undefined,
    path: url.pathname + url.search,
  }
  return { kind: "ok", target }
}
