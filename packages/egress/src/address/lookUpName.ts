import { Resolver } from "node:dns/promises"
import { readHosts } from "./readHostsFile.ts"
import { isLocalhost, withoutFinalDot } from "./vetUrl.ts"

/** All addresses of a name, IPv4 and IPv6. Rejects with an error whose `code` is a DNS code. */
export type Lookup = ((hostname: string) => Promise<readonly string[]>) & {
  /** Ends what is being asked, which would keep the process alive for seconds. */
  cancel?: () => void
}

// One family, as `vetUrl` takes such a name for this address.
const LOOPBACK = ["127.0.0.1"]

// Name servers are asked again, over and over, until the call's own limit: c-ares shortens the time-out to some multiple of
// what answers took lately, and one that has to ask others may take seconds for its first answer.
const ASKING = { timeout: 2_000, maxTimeout: 2_000, tries: 4 }

/** Once one family has answered: some name servers drop questions for the other. */
const OTHER_FAMILY_MS = 300

/**
 * Asks the machine's name servers directly instead of through `getaddrinfo`: that one occupies one of four
 * threads until it answers, so four partners with dead name servers would stop everybody's lookups. The
 * hosts file, which only `getaddrinfo` would read, is read once here. Search domains are not applied:
 * addresses of partners are complete names.
 *
 * @param options.servers addresses, with port if it is not 53, of the name servers to ask instead.
 */
export function createLookup(options: { servers?: readonly string[] } = {}): Lookup & { cancel: () => void } {
  const hosts = readHosts()
  const resolver = new Resolver(ASKING)
  if (options.servers !== undefined) resolver.setServers(options.servers)
  async function lookup(hostname: string): Promise<readonly string[]> {
    const known = hosts.get(withoutFinalDot(hostname))
    if (known !== undefined) return known
    if (isLocalhost(hostname)) return LOOPBACK
    // IPv4 first: clusters without IPv6 are common, and partners without IPv4 are not.
    return bothFamilies(resolver.resolve4(hostname), resolver.resolve6(hostname))
  }
  return Object.assign(lookup, { cancel: () => resolver.cancel() })
}

async function bothFamilies(first: Promise<string[]>, second: Promise<string[]>): Promise<string[]> {
  const asked = [first, second]
  const found: string[][] = []
  const errors: { code?: string }[] = []
  const both = Promise.all(
    asked.map((answer, family) =>
      answer.then(
        (addresses) => {
          found[family] = addresses
        },
        (error) => {
          errors.push(error)
        },
      ),
    ),
  )
  await Promise.any(asked).then(
    () => within(both, OTHER_FAMILY_MS),
    () => both,
  )
  if (found.length > 0) return found.flat()
  throw errors.find(({ code }) => code !== "ENODATA" && code !== "ENOTFOUND") ?? errors[0]
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
