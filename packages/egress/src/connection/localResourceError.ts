import { isIPv6 } from "node:net"
import { networkInterfaces } from "node:os"
import { errorCode } from "../errorCode.ts"

/** This machine lacks a resource to open a connection. The partner is not at fault. */
export class LocalResourceError extends Error {
  override name = "LocalResourceError"
}

const EXHAUSTED: Record<string, string> = {
  EMFILE: "this process has too many open files; raise its limit",
  ENFILE: "this machine has too many open files; raise its limit",
  ENOBUFS: "this machine has no memory left for sockets",
  ENOMEM: "this machine has no memory left",
  EADDRNOTAVAIL: "no local port is left for this address; add replicas or widen the port range",
}

/** `own`: the addresses of this machine. */
export function localResourceError(error: Error, own = networkInterfaces): LocalResourceError | undefined {
  const errors: Error[] = error instanceof AggregateError ? error.errors : [error]
  const code = errorCode(errors.findLast((each) => !lacksIpv6(each, own)))
  const why = EXHAUSTED[code]
  return why === undefined
    ? undefined
    : new LocalResourceError(`no connection could be opened (${code}): ${why}`)
}

/** Without an IPv6 address of its own, a machine can call none, whatever ports are left. */
function lacksIpv6(error: Error & { address?: string }, own: typeof networkInterfaces): boolean {
  if (errorCode(error) !== "EADDRNOTAVAIL" || !isIPv6(error.address ?? "")) return false
  const addresses = Object.values(own()).flat()
  return !addresses.some(
    (each) => each?.family === "IPv6" && !each.internal && !each.address.startsWith("fe80:"),
  )
}
