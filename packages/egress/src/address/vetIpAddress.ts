import ipaddr from "ipaddr.js"
import { type AddressPolicy, isInRange } from "./addressPolicy.ts"

export type IpVerdict = { kind: "ok" } | { kind: "blocked"; range: string }

/** The range of an address in `deny`. */
export const DENIED = "denied by the operator"

const OK: IpVerdict = { kind: "ok" }

// All public IPv6 addresses are in this range. Addresses outside are blocked even if the library does not
// list them as special, because they may get a special purpose later.
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3")

// Azure serves a virtual machine's metadata and credentials from this public address.
const AZURE_METADATA = "168.63.129.16"

/**
 * In a network with IPv6 only, DNS64 answers with addresses of this range for names that have IPv4 only (RFC 6052). The last
 * 32 bits are the IPv4 address that the translator calls.
 */
const TRANSLATED_IPV4 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

export function vetIpAddress(ip: string, policy: AddressPolicy): IpVerdict {
  const parsed = parse(ip)
  if (parsed === undefined) return { kind: "blocked", range: "not an IP address" }
  if (isInRange(parsed, policy.deny)) return { kind: "blocked", range: DENIED }
  if (isInRange(parsed, policy.allow)) return OK
  // Not the ranges that the operator allows: a translator calls public addresses only.
  if (parsed.kind() === "ipv6" && parsed.match(TRANSLATED_IPV4))
    return vetIpAddress(parsed.toByteArray().slice(-4).join("."), { ...policy, allow: [] })
  const range = specialRange(parsed)
  return range === undefined ? OK : { kind: "blocked", range }
}

function parse(ip: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // The library would also accept 0177.0.0.1 and 127.1, which other parsers may read differently.
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) return ipaddr.IPv4.parse(ip)
  return ipaddr.IPv6.isValid(ip) ? ipaddr.IPv6.parse(ip) : undefined
}

function specialRange(ip: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const range = ip.range()
  if (range !== "unicast") return range
  if (ip.kind() === "ipv6") return ip.match(GLOBAL_UNICAST_V6) ? undefined : "not global unicast"
  return ip.toString() === AZURE_METADATA ? "metadata" : undefined
}
