import { errorCode } from "../errorCode.ts"
import type { AddressPolicy } from "./addressPolicy.ts"
import type { Lookup } from "./lookUpName.ts"
import { vetIpAddress } from "./vetIpAddress.ts"

type Resolution =
  | { kind: "vetted"; ips: readonly string[] }
  | { kind: "blocked"; ip: string; range: string }
  | { kind: "unresolved"; code: string }

export type Resolve = (hostname: string) => Promise<Resolution>

/**
 * One blocked address blocks the whole name, because a mixture of public and private addresses is a mistake
 * or an attack. Concurrent calls for one name share a lookup.
 */
export function createResolve(options: { lookup: Lookup; policy: AddressPolicy }): Resolve {
  const pending = new Map<string, Promise<Resolution>>()
  return function resolve(hostname) {
    let resolution = pending.get(hostname)
    if (resolution === undefined) {
      resolution = lookUpAndVet(hostname, options).finally(() => pending.delete(hostname))
      pending.set(hostname, resolution)
    }
    return resolution
  }
}

async function lookUpAndVet(
  hostname: string,
  { lookup, policy }: { lookup: Lookup; policy: AddressPolicy },
): Promise<Resolution> {
  let ips: readonly string[]
  try {
    ips = await lookup(hostname)
  } catch (error) {
    return { kind: "unresolved", code: errorCode(error) }
  }
  if (ips.length === 0) return { kind: "unresolved", code: "ENODATA" }
  for (const ip of ips) {
    const verdict = vetIpAddress(ip, policy)
    if (verdict.kind === "blocked") return { kind: "blocked", ip, range: verdict.range }
  }
  return { kind: "vetted", ips }
}
