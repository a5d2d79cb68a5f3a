import type { IncomingHttpHeaders } from "node:http"
import { auditTargetKindSchema } from "@sitewire/contracts"
import { keyedDigest, readDigestKey, type SealingKeys, type Sql } from "@sitewire/database"
import type { PrismaQueries } from "@sitewire/database/prisma"
import { z } from "zod"
import type { Caller } from "../auth/caller.ts"
import { invalidField, problem } from "../http/problems.ts"
import type { Audit, Problem, Repeated, RouteResponse } from "../http/response.ts"
import type { Route } from "./implement.ts"

/** A POST with an Idempotency-Key. `content` is its path, query and body, whose bytes are characters of Latin-1. */
export type IdempotentRequest = { key_id: string; idempotency_key: string; content: string }

export const idempotencyKeyPattern = /^[!-~]{1,255}$/

/** Reads the header Idempotency-Key. Null: the request has none. */
export function readIdempotencyKey(request: {
  headers: IncomingHttpHeaders
  keyId: string
  url: string
  /** Undefined: the request has no body. */
  bodyBytes: Buffer | undefined
}): IdempotentRequest | null | Problem {
  const header = request.headers["idempotency-key"]
  if (header === undefined) return null
  if (typeof header !== "string" || !idempotencyKeyPattern.test(header)) {
    const message = "Idempotency-Key must be 1 to 255 printable ASCII characters, without spaces"
    return invalidField("headers", "Idempotency-Key", message)
  }
  const content = `${request.url}\n${request.bodyBytes?.toString("latin1") ?? ""}`
  return { key_id: request.keyId, idempotency_key: header, content }
}

/** The response to a request that another request has carried out, and what that one changed. */
type Earlier = { response: Repeated | Problem; target: Audit["target"] | null }

/**
 * Reserves the key within the request's transaction. Returns the response if an earlier request of the last 24 hours
 * used the key. If such a request is still running, waits for its commit.
 */
export async function claimIdempotencyKey(
  { prisma, sql, sealingKeys }: { prisma: PrismaQueries; sql: Sql; sealingKeys: SealingKeys },
  { shownOnce }: Route,
  { scopes }: Caller,
  { key_id, idempotency_key, content }: IdempotentRequest,
): Promise<Earlier | null> {
  // Keyed, because a body may contain an e-mail address.
  const digest = keyedDigest(await readDigestKey(sql, sealingKeys), content)
  const claimed = await prisma.$queryRaw<object[]>`
    insert into idempotency_record (key_id, idempotency_key, request_digest)
    values (${key_id}, ${idempotency_key}, ${digest})
    on conflict (key_id, idempotency_key) do update
      set request_digest = excluded.request_digest, status = null, response = null, created_at = now()
      where idempotency_record.created_at < now() - interval '24 hours'
    returning 1 as claimed`
  if (claimed.length > 0) return null
  const record = await prisma.idempotencyRecord.findUniqueOrThrow({
    where: { key_id_idempotency_key: { key_id, idempotency_key } },
  })
  if (!Buffer.from(record.request_digest).equals(digest)) {
    return { response: problem("idempotency-key-reused"), target: null }
  }
  if (record.response === null || record.status === null)
    throw new Error("a committed idempotency record has no response")
  const stored = storedSchema.parse(JSON.parse(record.response))
  const lost = stored.scopes.filter((scope) => !scopes.includes(scope))
  if (lost.length > 0) {
    const detail = `The first request with this Idempotency-Key was sent with the scope ${lost.join(", ")}, which the API key no longer has.`
    return { response: problem("missing-scope", detail), target: null }
  }
  const { target, body, headers } = stored
  if (shownOnce !== undefined) return { response: wasShownOnce(shownOnce, target), target }
  return { response: { kind: "repeated", status: record.status, body, headers }, target }
}

function wasShownOnce(advice: string, target: Audit["target"] | null): Problem {
  const { kind = "resource", id = "" } = target ?? {}
  const detail = `An earlier request with this Idempotency-Key has changed the ${kind.replaceAll("_", " ")} "${id}". Its response contained a secret, which is shown only once and is not stored. ${advice.replaceAll("{id}", id)}`
  return problem("secret-shown-once", detail)
}

const storedSchema = z.object({
  /** Those of the first request. Without one of them, the key might not see the response any more. */
  scopes: z.array(z.string()),
  /** Null for a dry run. */
  target: z.object({ kind: auditTargetKindSchema, id: z.string() }).nullable(),
  headers: z.record(z.string(), z.string()),
  /** Missing if it contains a secret. */
  body: z.unknown().optional(),
})

export async function storeResponse(
  prisma: PrismaQueries,
  { shownOnce, success }: Route,
  { scopes }: Caller,
  { key_id, idempotency_key }: IdempotentRequest,
  result: RouteResponse,
): Promise<void> {
  if (result.kind !== "ok" && result.kind !== "alternative") return
  const isOk = result.kind === "ok"
  const stored: z.input<typeof storedSchema> = {
    scopes: [...scopes],
    target: (isOk && result.audit?.target) || null,
    headers: (isOk && result.headers) || {},
    ...(shownOnce === undefined ? { body: result.body } : {}),
  }
  await prisma.idempotencyRecord.update({
    where: { key_id_idempotency_key: { key_id, idempotency_key } },
    data: { status: (isOk && success.status) || 200, response: JSON.stringify(stored) },
  })
}
