import { sqlWithin } from "@sitewire/database/prisma"
import { insertAudit, logAudit, type NewAuditEntry, type RequestOrigin } from "../../audit/auditEntry.ts"
import type { Caller } from "../../auth/caller.ts"
import type { AppContext, RawRequest, Route } from "../defineRoute.ts"
import { claimIdempotencyKey, type IdempotentRequest, storeResponse } from "../idempotency.ts"
import type { Problem, RouteResponse } from "../response.ts"

const timeoutMs = 30_000

/**
 * Runs a route that writes. The write, its audit entry and the response for its Idempotency-Key are committed
 * together or not at all. A problem rolls everything back, so a request that failed may be repeated. A problem of
 * `afterCommit` does not: a repeated Idempotency-Key gets it again.
 */
export async function runWrite(
  context: AppContext,
  route: Route,
  request: RawRequest,
  origin: WriteOrigin,
): Promise<RouteResponse> {
  const entries: NewAuditEntry[] = []
  const result = await runInTransaction(context, route, request, origin, entries)
  logAudit(context.log, entries)
  if (!route.afterCommit || (result.kind !== "ok" && result.kind !== "repeated")) return result
  const final = await route.afterCommit(context, result.body)
  return final.kind === "ok" ? { ...result, body: final.body } : final
}

type WriteOrigin = RequestOrigin & { idempotent: IdempotentRequest | null }

/** `entries` gets the audit entries that were committed. */
async function runInTransaction(
  context: AppContext,
  route: Route,
  request: RawRequest,
  { idempotent, ...origin }: WriteOrigin,
  entries: NewAuditEntry[],
): Promise<RouteResponse> {
  try {
    return await context.prisma.$transaction(
      async (transaction) => {
        const { caller } = request
        const within = { ...context, prisma: transaction, sql: sqlWithin(transaction) }
        const earlier = idempotent && (await claimIdempotencyKey(within, route, caller, idempotent))
        if (earlier) {
          const { target, response } = earlier
          if (target) {
            entries.push(...entriesOf(route, caller, { target, changes: repetition }, origin))
            await insertAudit(transaction, entries)
          }
          return response
        }
        const result = await route.run(within, request)
        if (result.kind === "problem") throw new RollBack(result)
        if (result.kind === "ok") {
          entries.push(...entriesOf(route, caller, result.audit, origin))
          await insertAudit(transaction, entries)
        }
        if (idempotent) await storeResponse(transaction, route, caller, idempotent, result)
        return result
      },
      { timeout: timeoutMs, maxWait: timeoutMs },
    )
  } catch (error) {
    if (error instanceof RollBack) return error.problem
    throw error
  }
}

const repetition = { repeated: { old: null, new: true } }

class RollBack extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

function entriesOf(
  { operation }: Route,
  { keyId, keyName }: Caller,
  audit: Extract<RouteResponse, { kind: "ok" }>["audit"],
  { requestId, clientAddress }: RequestOrigin,
): NewAuditEntry[] {
  if (!audit) throw new Error(`the response of ${operation} contains no audit entry`)
  return [audit, ...(audit.also ?? [])].map(({ target, changes = {} }) => ({
    ...{ keyId, keyName, operation, target, changes, requestId, clientAddress },
  }))
}
