import ipaddr from "ipaddr.js"
import type { AddressPolicy } from "./addressPolicy.ts"

export type AddressVerdict = { kind: "ok" } | { kind: "blocked"; range: string }

const OK: AddressVerdict = { kind: "ok" }

// Only 2000::/3 is handed out as global unicast. Refusing the rest, rather than listing what is special in
// it, covers IPv4-compatible addresses (::/96) and every range that is reserved later.
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3")

// Azure serves a virtual machine's metadata and credentials from this public address.
const AZURE_METADATA = "168.63.129.16"

/**
 * Says whether an IP address may be called: global unicast, or in a range that the operator allows.
 *
 * @param address as a resolver or a parsed URL gives it: dotted decimal or IPv6, without brackets.
 */
export function vetAddress(address: string, policy: AddressPolicy): AddressVerdict {
  const parsed = parse(address)
  if (parsed === undefined) return { kind: "blocked", range: "not an IP address" }
  for (const [network, bits] of policy.allow) {
    if (network.kind() === parsed.kind() && parsed.match(network, bits)) return OK
  }
  const range = specialRange(parsed)
  return range === undefined ? OK : { kind: "blocked", range }
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // Of the spellings of IPv4, only four decimal parts come from resolvers and parsed URLs. The library also
  // reads 0177.0.0.1 and 127.1, and reads them as some other parser may not.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address)
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined
}

function specialRange(address: ipaddr.IPv4 | ipaddr.IPv6): string | undefined {
  const range = address.range()
  if (range !== "unicast") return range
  if (address.kind() === "ipv6") return address.match(GLOBAL_UNICAST_V6) ? undefined : "not global unicast"
  return address.toString() === AZURE_METADATA ? "metadata" : undefined
}
