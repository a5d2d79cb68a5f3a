import type { TLSSocket } from "node:tls"

/** Resuming a TLS session skips the check of the certificate, so a session expires with its certificate. */
type Session = { ticket: Buffer; expiresAt: number }

/** Each takes some 3 kB. */
const MAX_SESSIONS = 5_000

export function createTlsSessions() {
  const sessions = new Map<string, Session>()

  function find(origin: string): Session | undefined {
    const session = sessions.get(origin)
    return session !== undefined && session.expiresAt > Date.now() ? session : undefined
  }

  function store(origin: string, ticket: Buffer, socket: TLSSocket, resumed: Session | undefined): void {
    // Node reports a ticket of TLS 1.2 after the handshake, when the call may have ended already, and then knows no certificate.
    if (socket.destroyed) return
    // The newest last, so that the one that was used longest ago is deleted.
    sessions.delete(origin)
    if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value ?? "")
    // On a resumed connection the server sends no certificate, so the session keeps its expiry.
    const expiresAt = socket.isSessionReused()
      ? resumed?.expiresAt
      : Date.parse(socket.getPeerCertificate().valid_to)
    sessions.set(origin, { ticket, expiresAt: expiresAt ?? 0 })
  }

  return { find, store }
}
