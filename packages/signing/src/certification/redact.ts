/**
 * A receiver may echo the request, or the signature that it expects. Reports must not contain signatures or secrets.
 * Also replaces NUL, which Postgres cannot store.
 */
export function createRedact(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    const withoutSecrets = secrets.reduce((result, secret) => result.replaceAll(secret, "…"), text)
    return withoutSecrets
      .replaceAll(/[0-9a-f]{64}/gi, "…")
      .replaceAll(/\bv1a?,[A-Za-z0-9+/]{20,}=*/g, "…")
      .replaceAll("\0", "�")
  }
}
