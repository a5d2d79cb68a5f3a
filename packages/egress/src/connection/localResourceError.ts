import { errorCode } from "../errorCode.ts"
import { lastOf } from "./openSocket.ts"

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

export function localResourceError(error: Error): LocalResourceError | undefined {
  const code = errorCode(lastOf(error))
  const why = EXHAUSTED[code]
  return why === undefined
    ? undefined
    : new LocalResourceError(`no connection could be opened (${code}): ${why}`)
}
