import { lastOf } from "../connection/openSocket.ts"
import type { CallError } from "./outcome.ts"
import { codeOf } from "../address/resolveAndVet.ts"

/** How far a call had come. */
export type Phase = "lookup" | "wait" | "connect" | "tls" | "open"

export type Failure = { error: CallError; message: string }

/**
 * Puts what a socket or the parser reported into the closed set. The phase decides before the code does: a
 * connection that is reset during the handshake is a fault of TLS, not of the application behind it.
 */
export function classify(error: Error, phase: Phase, host: string): Failure {
  const code = codeOf(error)
  if (phase === "connect") {
    return { error: "connect", message: `could not connect to ${host} (${codeOf(lastOf(error))})` }
  }
  // In TLS 1.3 a server refuses after the handshake has ended for us.
  if (phase === "tls" || code.startsWith("ERR_SSL_") || code === "EPROTO") {
    return { error: "tls", message: `the TLS handshake with ${host} failed (${code}): ${tlsAdvice(code)}` }
  }
  if (isProtocolFault(error, code)) {
    return {
      error: "protocol",
      message: `${host} did not answer in HTTP/1.1 (${protocolReason(error, code)})`,
    }
  }
  return { error: "reset", message: `${host} closed the connection before its answer was complete (${code})` }
}

export function timedOut(phase: Phase, host: string, limitMs: number): Failure {
  return { error: "timeout", message: `no answer from ${host} within ${limitMs} ms (${STILL[phase]})` }
}

const STILL: Record<Phase, string> = {
  lookup: "its name was still being looked up",
  wait: "all connections to it were in use",
  connect: "still connecting",
  tls: "still in the TLS handshake",
  open: "the answer was not complete",
}

function tlsAdvice(code: string): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "the certificate is for another name"
  if (code === "CERT_HAS_EXPIRED") return "the certificate has expired"
  if (code.includes("SELF_SIGNED")) return "the certificate is self-signed"
  if (code.startsWith("UNABLE_TO")) return "the certificate's issuer is unknown or its chain is incomplete"
  if (code.includes("PROTOCOL_VERSION") || code.includes("UNSUPPORTED_PROTOCOL"))
    return "TLS 1.2 or newer is needed"
  return "the server ended it or does not speak TLS on this port"
}

// The client library reports an unexpected 1xx or upgrade as a socket error, told apart only by its text.
function isProtocolFault(error: Error, code: string): boolean {
  if (code === "UND_ERR_SOCKET") return error.message.startsWith("bad ")
  // The client library asserts what it does not expect, such as the status 000.
  if (code === "ERR_ASSERTION") return true
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return true
  return error.name === "HTTPParserError"
}

function protocolReason(error: Error, code: string): string {
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "its headers are too large"
  if (code === "UND_ERR_SOCKET") return "an unexpected 1xx or upgrade"
  if (error.name === "HTTPParserError")
    return /\((.*)\)/.exec(error.message)?.[1] ?? "the parser gives no reason"
  return code
}
