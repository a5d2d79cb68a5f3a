import type { RecordWithTtl } from "node:dns"
import { Resolver } from "node:dns/promises"
import { networkInterfaces } from "node:os"
import { errorCode } from "../errorCode.ts"
import { type Answer, keepAnswers } from "./keepAnswers.ts"
import { readHostsFile } from "./readHostsFile.ts"
import { isLocalhost, withoutFinalDot } from "./vetUrl.ts"

export type Lookup = ((hostname: string) => Promise<readonly string[]>) & {
  /** Ends pending queries, which would keep the process alive for seconds. */
  cancel?: () => void
}

// `vetUrl` vets localhost as 127.0.0.1, so localhost must not lead to any other address.
const LOOPBACK = ["127.0.0.1"]

// Node's resolver, c-ares, waits less than `timeout` if recent responses were fast. With several tries, a
// name server that must first ask others still gets some seconds.
const QUERY_OPTIONS = { timeout: 2_000, maxTimeout: 2_000, tries: 4 }

/** Codes of c-ares. Any other error is a name server's answer. */
const UNANSWERED = ["ETIMEOUT", "ECONNREFUSED"]
const RENEW_MS = 1_000
/** A query lasts for less than so many renewals. */
const MAX_RESOLVERS = 30

/**
 * When the addresses of one family (IPv4 or IPv6) are known, those of the other are awaited only this long.
 * Some name servers never answer queries for one of the families.
 */
const SECOND_FAMILY_MS = 300

/**
 * Queries the name servers directly, because `getaddrinfo` occupies one of Node's four threads until the
 * response: four slow lookups would stop all others. Search domains are not applied. An answer is used again for as long as
 * its name server allows, a minute at most. A resolver reads the machine's name servers when it is made, so one whose servers do not
 * answer is replaced.
 *
 * @param options.servers name servers to query instead of the machine's; with a port unless it is 53.
 * @param options.ipv6 whether IPv6 addresses are queried. Default: if this machine has one itself.
 */
export function createLookup(
  options: { servers?: readonly string[]; ipv6?: boolean } = {},
): Lookup & { cancel: () => void } {
  const hosts = readHostsFile()
  const { ipv6 = hasIpv6Address() } = options
  let renewedAt = Number.NEGATIVE_INFINITY
  let resolvers: Resolver[] = []

  function renewResolver(): Resolver {
    const resolver = new Resolver(QUERY_OPTIONS)
    if (options.servers !== undefined) resolver.setServers(options.servers)
    resolvers = [resolver, ...resolvers.slice(0, MAX_RESOLVERS)]
    renewedAt = performance.now()
    return resolver
  }

  const ask = keepAnswers(async (hostname) => {
    const resolver = resolvers[0] ?? renewResolver()
    const v4 = resolver.resolve4(hostname, { ttl: true })
    // IPv4 addresses come first: partners without IPv4 are rare.
    const found = ipv6 ? combineFamilies(v4, resolver.resolve6(hostname, { ttl: true })) : v4
    return found.then(toAnswer, (error: Error) => {
      if (UNANSWERED.includes(errorCode(error)) && performance.now() - renewedAt > RENEW_MS) renewResolver()
      throw error
    })
  })
  async function lookup(hostname: string): Promise<readonly string[]> {
    const known = hosts.get(withoutFinalDot(hostname))
    if (known !== undefined) return known
    return isLocalhost(hostname) ? LOOPBACK : ask(hostname)
  }
  return Object.assign(lookup, { cancel: () => resolvers.map((each) => each.cancel()) })
}

/**
 * Like AI_ADDRCONFIG of `getaddrinfo`, but link-local addresses do not count. Without such an address, nothing with an IPv6
 * address can be reached, so a query for it would only be work for the name server.
 */
function hasIpv6Address(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses.some((each) => each.family === "IPv6" && !each.internal && each.scopeid === 0)
}

/** An answer can have thousands of addresses. All are vetted at each call, and tried if none responds. */
const MAX_ADDRESSES = 16

function toAnswer(records: readonly RecordWithTtl[]): Answer {
  const used = records.slice(0, MAX_ADDRESSES)
  return {
    ips: used.map(({ address }) => address),
    keepMs: Math.min(...used.map(({ ttl }) => ttl)) * 1_000,
  }
}

async function combineFamilies(
  v4: Promise<RecordWithTtl[]>,
  v6: Promise<RecordWithTtl[]>,
): Promise<RecordWithTtl[]> {
  const queries = [v4, v6]
  const found: RecordWithTtl[][] = []
  const errors: { code?: string }[] = []
  const both = Promise.all(
    queries.map((query, family) =>
      query.then(
        (ips) => {
          found[family] = ips
        },
        (error) => {
          errors.push(error)
        },
      ),
    ),
  )
  await Promise.any(queries).then(
    () => waitAtMost(both, SECOND_FAMILY_MS),
    () => both,
  )
  if (found.length > 0) return found.flat()
  throw errors.find(({ code }) => code !== "ENODATA" && code !== "ENOTFOUND") ?? errors[0]
}

async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
