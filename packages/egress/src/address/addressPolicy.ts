import ipaddr from "ipaddr.js"

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

export type AddressPolicy = { readonly allow: readonly Range[]; readonly allowHttp: boolean }

/**
 * @param allow CIDR ranges that may be called although they are private or special, such as `10.20.0.0/16`.
 *   `127.0.0.0/8` does not allow `::ffff:127.0.0.1`, a notation that is mostly used in attacks.
 * @param allowHttp whether `http:` is accepted beside `https:`. For the local stack.
 * @throws Error that names the first invalid range.
 */
export function parsePolicy(options: { allow: readonly string[]; allowHttp: boolean }): AddressPolicy {
  return { allow: options.allow.map(parseRange), allowHttp: options.allowHttp }
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
