import { lastOf } from "../connection/openSocket.ts"
import { errorCode } from "../errorCode.ts"
import type { CallError } from "./outcome.ts"

export type Phase = "lookup" | "wait" | "connect" | "tls" | "open"

export type Failure = { error: CallError; message: string }

/** The phase takes precedence over the code: a reset during the TLS handshake is a TLS error. */
export function classifyNetworkError(error: Error, phase: Phase, host: string): Failure {
  const code = errorCode(error)
  if (phase === "connect") {
    return { error: "connect", message: `could not connect to ${host} (${errorCode(lastOf(error))})` }
  }
  // In TLS 1.3, a server can reject the handshake after it has ended on our side. The phase is then `open`,
  // and only the code shows a TLS error.
  if (phase === "tls" || code.startsWith("ERR_SSL_") || code === "EPROTO") {
    return { error: "tls", message: `the TLS handshake with ${host} failed (${code}): ${tlsAdvice(code)}` }
  }
  if (isProtocolError(error, code)) {
    return {
      error: "protocol",
      message: `${host} did not respond in HTTP/1.1 (${protocolReason(error, code)})`,
    }
  }
  return {
    error: "reset",
    message: `${host} closed the connection before its response was complete (${code})`,
  }
}

export function timedOut(phase: Phase, host: string, limitMs: number): Failure {
  return { error: "timeout", message: `no response from ${host} within ${limitMs} ms (${UNFINISHED[phase]})` }
}

export function isInvalidInput(error: Error): boolean {
  const code = errorCode(error)
  return (
    code === "UND_ERR_INVALID_ARG" ||
    code === "UND_ERR_NOT_SUPPORTED" ||
    code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"
  )
}

const UNFINISHED: Record<Phase, string> = {
  lookup: "its name was still being looked up",
  wait: "all connections to it were in use",
  connect: "still connecting",
  tls: "still in the TLS handshake",
  open: "the response was not complete",
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

function isProtocolError(error: Error, code: string): boolean {
  // undici reports an unexpected 1xx or upgrade as a socket error with this text.
  if (code === "UND_ERR_SOCKET") return error.message.startsWith("bad ")
  // undici asserts some properties of a response, such as that the status is not 000.
  if (code === "ERR_ASSERTION") return true
  if (
    code === "TLS_FLOOD" ||
    code === "UND_ERR_HEADERS_OVERFLOW" ||
    code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"
  )
    return true
  return error.name === "HTTPParserError"
}

function protocolReason(error: Error, code: string): string {
  if (code === "UND_ERR_HEADERS_OVERFLOW") return "its headers are too large"
  if (code === "TLS_FLOOD") return error.message
  if (code === "UND_ERR_SOCKET") return "an unexpected 1xx or upgrade"
  if (error.name === "HTTPParserError")
    return /\((.*)\)/.exec(error.message)?.[1] ?? "the parser gives no reason"
  return code
}
