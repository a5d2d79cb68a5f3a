import type { PrismaClient, PrismaQueries } from "@sitewire/database/prisma"
import { sqlWithin } from "@sitewire/database/prisma"
import type { Caller } from "../../auth/caller.ts"
import { newId } from "../../newIds.ts"
import type { ApiContext, RawRequest, Route } from "../defineRoute.ts"
import { claimIdempotencyKey, type IdempotentRequest, storeResponse } from "../idempotency.ts"
import type { Problem, RouteResponse } from "../response.ts"

const timeoutMs = 30_000

/**
 * Runs a route that writes. The write, its audit entry and the response for its Idempotency-Key are committed
 * together or not at all. A problem rolls everything back, so a request that failed may be repeated. A problem of
 * `afterCommit` does not: a repeated Idempotency-Key gets it again.
 */
export async function runWrite(
  prisma: PrismaClient,
  route: Route,
  context: ApiContext,
  request: RawRequest,
  { requestId, idempotent }: { requestId: string; idempotent: IdempotentRequest | null },
): Promise<RouteResponse> {
  const result = await runInTransaction(prisma, route, context, request, { requestId, idempotent })
  if (!route.afterCommit || (result.kind !== "ok" && result.kind !== "repeated")) return result
  const final = await route.afterCommit(context, result.body)
  return final.kind === "ok" ? { ...result, body: final.body } : final
}

async function runInTransaction(
  prisma: PrismaClient,
  route: Route,
  context: ApiContext,
  request: RawRequest,
  { requestId, idempotent }: { requestId: string; idempotent: IdempotentRequest | null },
): Promise<RouteResponse> {
  try {
    return await prisma.$transaction(
      async (transaction) => {
        const { sealingKeys } = context
        if (idempotent) {
          const earlier = await claimIdempotencyKey(transaction, sealingKeys, idempotent)
          if (earlier) return earlier
        }
        const within = { ...context, prisma: transaction, sql: sqlWithin(transaction) }
        const result = await route.run(within, request)
        if (result.kind === "problem") throw new RollBack(result)
        if (result.kind === "ok")
          await insertAudit(transaction, route, request.caller, result.audit, requestId)
        if (idempotent)
          await storeResponse(transaction, sealingKeys, idempotent, route.success.status, result)
        return result
      },
      { timeout: timeoutMs, maxWait: timeoutMs },
    )
  } catch (error) {
    if (error instanceof RollBack) return error.problem
    throw error
  }
}

class RollBack extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

async function insertAudit(
  prisma: PrismaQueries,
  { operation }: Route,
  { keyId, keyName }: Caller,
  audit: Extract<RouteResponse, { kind: "ok" }>["audit"],
  requestId: string,
): Promise<void> {
  if (!audit) throw new Error(`the response of ${operation} contains no audit entry`)
  await prisma.auditEntry.createMany({
    data: [audit, ...(audit.also ?? [])].map(({ target, changes = {} }) => ({
      id: newId("aud"),
      keyId,
      keyName,
      operation,
      targetKind: target.kind,
      targetId: target.id,
      changes: JSON.parse(JSON.stringify(changes)),
      requestId,
    })),
  })
}
