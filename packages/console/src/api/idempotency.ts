import type { IncomingHttpHeaders } from "node:http"
import { sha256 } from "@sitewire/contracts"
import { type SealingKeys, seal, sealContexts, unseal } from "@sitewire/database"
import type { PrismaQueries } from "@sitewire/database/prisma"
import { z } from "zod"
import { invalidRequest, problem } from "./problems.ts"
import type { Problem, RouteResponse } from "./response.ts"

/** A POST with an Idempotency-Key. `requestSha256` is the digest of its path, query and body. */
export type IdempotentRequest = { keyId: string; idempotencyKey: string; requestSha256: Buffer<ArrayBuffer> }

/** Reads the header Idempotency-Key. Null: the request has none. */
export function readIdempotencyKey(request: {
  headers: IncomingHttpHeaders
  keyId: string
  url: string
  body: unknown
}): IdempotentRequest | null | Problem {
  const header = request.headers["idempotency-key"]
  if (header === undefined) return null
  if (typeof header !== "string" || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    const message = "Idempotency-Key must be 1 to 255 printable ASCII characters, without spaces"
    return invalidRequest("headers", [{ field: "Idempotency-Key", message }])
  }
  const requestSha256 = sha256(JSON.stringify([request.url, request.body]))
  return { keyId: request.keyId, idempotencyKey: header, requestSha256 }
}

/**
 * Reserves the key within the request's transaction. Returns the response if an earlier request of the last 24 hours
 * used the key. If such a request is still running, waits for its commit.
 */
export async function claimIdempotencyKey(
  prisma: PrismaQueries,
  sealingKeys: SealingKeys,
  { keyId, idempotencyKey, requestSha256 }: IdempotentRequest,
): Promise<RouteResponse | null> {
  const claimed = await prisma.$queryRaw<object[]>`
    insert into idempotency_record (key_id, idempotency_key, request_sha256)
    values (${keyId}, ${idempotencyKey}, ${requestSha256})
    on conflict (key_id, idempotency_key) do update
      set request_sha256 = excluded.request_sha256, status = null, response_sealed = null, created_at = now()
      where idempotency_record.created_at < now() - interval '24 hours'
    returning 1 as claimed`
  if (claimed.length > 0) return null
  const record = await prisma.idempotencyRecord.findUniqueOrThrow({
    where: { keyId_idempotencyKey: { keyId, idempotencyKey } },
  })
  if (!requestSha256.equals(record.requestSha256)) {
    return problem(
      "idempotency-key-reused",
      "This Idempotency-Key was used in the last 24 hours for a request with another path or body. Use a new key.",
    )
  }
  if (record.responseSealed === null || record.status === null)
    throw new Error("a committed idempotency record has no response")
  const context = sealContexts.response(keyId, idempotencyKey)
  const stored = storedSchema.parse(JSON.parse(unseal(sealingKeys, context, record.responseSealed)))
  return { kind: "repeated", status: record.status, ...stored }
}

const storedSchema = z.object({ body: z.unknown(), headers: z.record(z.string(), z.string()) })

export async function storeResponse(
  prisma: PrismaQueries,
  sealingKeys: SealingKeys,
  { keyId, idempotencyKey }: IdempotentRequest,
  successStatus: number,
  result: RouteResponse,
): Promise<void> {
  if (result.kind !== "ok" && result.kind !== "alternative") return
  const status = result.kind === "ok" ? successStatus : result.status
  const headers = result.kind === "ok" ? (result.headers ?? {}) : {}
  const text = JSON.stringify({ body: result.body, headers })
  const sealed = seal(sealingKeys, sealContexts.response(keyId, idempotencyKey), text)
  await prisma.idempotencyRecord.update({
    where: { keyId_idempotencyKey: { keyId, idempotencyKey } },
    data: { status, responseSealed: new Uint8Array(sealed) },
  })
}
