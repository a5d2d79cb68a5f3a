import { Resolver } from "node:dns/promises"
import { readHosts } from "./readHosts.ts"
import { isLocalhost, withoutFinalDot } from "./vetUrl.ts"

/** All addresses of a name, IPv4 and IPv6. Rejects with an error whose `code` is a DNS code. */
export type Lookup = (hostname: string) => Promise<readonly string[]>

const LOOPBACK = ["127.0.0.1", "::1"]

/**
 * Asks the machine's name servers directly instead of through `getaddrinfo`: that one occupies one of four
 * threads until it answers, so four partners with dead name servers would stop everybody's lookups. The
 * hosts file, which only `getaddrinfo` would read, is read once here. Search domains are not applied:
 * addresses of partners are complete names.
 *
 * @param options.servers addresses, with port if it is not 53, of the name servers to ask instead.
 */
export function createLookup(options: { servers?: readonly string[] } = {}): Lookup {
  const hosts = readHosts()
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (options.servers !== undefined) resolver.setServers(options.servers)
  return async function lookup(hostname) {
    const known = hosts.get(withoutFinalDot(hostname))
    if (known !== undefined) return known
    if (isLocalhost(hostname)) return LOOPBACK
    // IPv4 first: clusters without IPv6 are common, and partners without IPv4 are not.
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
    if (addresses.length > 0) return addresses
    const errors = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []))
    throw errors.find((error) => error?.code !== "ENODATA" && error?.code !== "ENOTFOUND") ?? errors[0]
  }
}
