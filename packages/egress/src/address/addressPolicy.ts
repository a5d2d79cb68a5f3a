import ipaddr from "ipaddr.js"

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]
/** The first and the last port. */
export type PortRange = readonly [number, number]

export type AddressPolicy = {
  readonly allow: readonly Range[]
  readonly deny: readonly Range[]
  readonly ports: readonly PortRange[]
  readonly allowHttp: boolean
}

export type PolicyOptions = {
  /**
   * CIDR ranges that may be called although they are private or special, such as `10.20.0.0/16`.
   * `127.0.0.0/8` does not allow `::ffff:127.0.0.1`, a notation that is mostly used in attacks.
   */
  allow: readonly string[]
  /** CIDR ranges that are not called although they are public or in `allow`. Default: none. */
  deny?: readonly string[]
  /** Default: all. */
  ports?: readonly PortRange[]
  /** Whether `http:` is accepted beside `https:`. For the local stack. */
  allowHttp: boolean
}

/** @throws Error that names the first invalid range. */
export function parsePolicy({
  allow,
  deny = [],
  ports = [[1, 65_535]],
  allowHttp,
}: PolicyOptions): AddressPolicy {
  return { allow: allow.map(parseRange), deny: deny.map(parseRange), ports, allowHttp }
}

export function isInRange(ip: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits))
}

function parseRange(text: string): Range {
  try {
    return ipaddr.parseCIDR(text.trim())
  } catch (cause) {
    throw new Error(
      `"${text}" is not an address range: write it as an address and a prefix, like 10.20.0.0/16`,
      {
        cause,
      },
    )
  }
}
