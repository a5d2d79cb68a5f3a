/** The server sends more TLS than its response needs: each byte of it can take a hundred times as long as one of content. */
export class TlsFloodError extends Error {
  readonly code = "TLS_FLOOD"
}
