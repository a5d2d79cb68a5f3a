import { sealContexts } from "./seal.ts"

/**
 * The tables of sealed (encrypted) values that are stored for long: responses are deleted after 24 hours. `columns` maps
 * each column to the SQL of what its context names beside the row.
 */
export const sealedTables: readonly {
  table: string
  columns: Record<string, string>
  context: (id: string, secret: string) => string
}[] = [
  {
    table: "channel",
    columns: {
      secret_sealed: "secret_id",
      other_secret_sealed: "other_secret_id",
      request_headers_sealed: "'receiverHeaders'",
    },
    context: (id, secret) =>
      secret === "receiverHeaders"
        ? sealContexts.receiverHeaders(id)
        : sealContexts.signingSecret(id, secret),
  },
  {
    table: "connection",
    columns: {
      token_sealed: "'connectionToken'",
      signing_secret_sealed: "'connectionSecret'",
      request_headers_sealed: "'sourceHeaders'",
    },
    context: (id, secret) =>
      sealContexts[secret as "connectionToken" | "connectionSecret" | "sourceHeaders"](id),
  },
  {
    table: "digest_key",
    columns: { key_sealed: "''" },
    context: sealContexts.digestKey,
  },
]
