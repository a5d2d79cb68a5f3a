import type { Lookup } from "./lookUpName.ts"
import type { AddressPolicy } from "./addressPolicy.ts"
import { vetAddress } from "./vetIpAddress.ts"

type Resolution =
  | { kind: "vetted"; addresses: readonly string[] }
  | { kind: "blocked"; address: string; range: string }
  | { kind: "unresolved"; code: string }

export type Resolve = (hostname: string) => Promise<Resolution>

/**
 * Resolves a name and vets every answer: one forbidden address refuses the whole name, because a name that
 * mixes public and private addresses is either broken or a trick.
 *
 * Nothing is cached. Attempts that begin while the same name is being looked up share that lookup, so what
 * they use is never older than one lookup takes, and a burst to one partner is one query and not hundreds.
 */
export function createResolve(options: { lookup: Lookup; policy: AddressPolicy }): Resolve {
  const underWay = new Map<string, Promise<Resolution>>()
  return function resolve(hostname) {
    let resolution = underWay.get(hostname)
    if (resolution === undefined) {
      resolution = lookUpAndVet(hostname, options).finally(() => underWay.delete(hostname))
      underWay.set(hostname, resolution)
    }
    return resolution
  }
}

async function lookUpAndVet(
  hostname: string,
  { lookup, policy }: { lookup: Lookup; policy: AddressPolicy },
): Promise<Resolution> {
  let addresses: readonly string[]
  try {
    addresses = await lookup(hostname)
  } catch (error) {
    return { kind: "unresolved", code: codeOf(error) }
  }
  if (addresses.length === 0) return { kind: "unresolved", code: "ENODATA" }
  for (const address of addresses) {
    const verdict = vetAddress(address, policy)
    if (verdict.kind === "blocked") return { kind: "blocked", address, range: verdict.range }
  }
  return { kind: "vetted", addresses }
}

export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "UNKNOWN"
  return typeof error.code === "string" ? error.code : "UNKNOWN"
}
