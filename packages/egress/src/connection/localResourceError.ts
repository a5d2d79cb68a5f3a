import { lastOf } from "./openSocket.ts"
import { codeOf } from "../address/resolveAndVet.ts"

/** This machine could not open a connection. It says nothing about whom it was to be opened to. */
export class LocalFault extends Error {
  override name = "LocalFault"
}

const EXHAUSTED: Record<string, string> = {
  EMFILE: "this process has too many files open: raise its limit",
  ENFILE: "this machine has too many files open",
  ENOBUFS: "this machine has no memory left for sockets",
  ENOMEM: "this machine has no memory left",
  EADDRNOTAVAIL: "no local port is left for this address",
}

/** Tells what this machine lacks from what a partner refuses; undefined for the latter. */
export function localFault(error: Error): LocalFault | undefined {
  const code = codeOf(lastOf(error))
  const why = EXHAUSTED[code]
  return why === undefined ? undefined : new LocalFault(`no connection could be opened (${code}): ${why}`)
}
