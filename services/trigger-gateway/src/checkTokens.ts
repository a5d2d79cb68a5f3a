import { timingSafeEqual } from "node:crypto"
import { hashConnectorToken } from "@sitewire/contracts"
import { gather } from "@sitewire/runtime"
import type { Address } from "./readAddress.ts"

/** Compared with where there is no such connection, so that this takes as long as a wrong token. */
const noHash = Buffer.alloc(32)

/**
 * Whether the address is the connection's current one. Those asked about within a few milliseconds share one read,
 * and nothing is remembered: a token is dead on every replica as soon as the statement that replaced it returned.
 */
export function gatherTokenChecks(settings: {
  readHashes: (connections: string[]) => Promise<Map<string, Buffer>>
  lingerMs: number
  onBatch: (size: number) => void
}): (address: Address) => Promise<boolean> {
  const { readHashes, lingerMs, onBatch } = settings

  async function check(addresses: Address[]): Promise<boolean[]> {
    onBatch(addresses.length)
    const hashes = await readHashes([...new Set(addresses.map(({ connection }) => connection))])
    return addresses.map(({ connection, token }) => {
      const stored = hashes.get(connection)
      const same = timingSafeEqual(hashConnectorToken(token), stored ?? noHash)
      return same && stored !== undefined
    })
  }

  return gather({ lingerMs, maxBatch: 1_000, maxRunning: 2, run: check })
}
