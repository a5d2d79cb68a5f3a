import { sqlWithin } from "@sitewire/database/prisma"
import { insertAudit, logAudit, type NewAuditEntry, type RequestOrigin } from "../../audit/auditEntry.ts"
import type { Caller } from "../../auth/caller.ts"
import type { Problem, RouteResponse } from "../../http/response.ts"
import { claimIdempotencyKey, type IdempotentRequest, storeResponse } from "../idempotency.ts"
import type { ApiContext, AppContext, RawRequest, Route, Write } from "../implement.ts"

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
  const final = await route.afterCommit(context, result.body, writeOf(context, route, request.caller, origin))
  return final.kind === "ok" ? { ...result, body: final.body } : final
}

type WriteOrigin = RequestOrigin & { idempotent: IdempotentRequest | null }

/** `entries` gets the audit entries that were committed. */
function runInTransaction(
  context: AppContext,
  route: Route,
  request: RawRequest,
  { idempotent, ...origin }: WriteOrigin,
  entries: NewAuditEntry[],
): Promise<RouteResponse> {
  const { caller } = request
  return inTransaction<RouteResponse>(context, async (within) => {
    const earlier = idempotent && (await claimIdempotencyKey(within, route, caller, idempotent))
    if (earlier) {
      const { target, response } = earlier
      if (target) {
        entries.push(...entriesOf(route, caller, { target, changes: repetition }, origin))
        await insertAudit(within.prisma, entries)
      }
      return response
    }
    const result = await route.run(within, request)
    if (result.kind === "problem") throw new RollBack(result)
    if (result.kind === "ok") {
      entries.push(...entriesOf(route, caller, result.audit, origin))
      await insertAudit(within.prisma, entries)
    }
    if (idempotent) await storeResponse(within.prisma, route, caller, idempotent, result)
    return result
  })
}

function writeOf(context: AppContext, route: Route, caller: Caller, origin: WriteOrigin): Write {
  return async (work) => {
    const entries: NewAuditEntry[] = []
    const result = await inTransaction(context, async (within) => {
      const done = await work(within, caller)
      if (done.kind === "problem") throw new RollBack(done)
      if (done.audit) {
        entries.push(...entriesOf(route, caller, done.audit, origin))
        await insertAudit(within.prisma, entries)
      }
      return done
    })
    logAudit(context.log, entries)
    return result
  }
}

async function inTransaction<Result>(
  context: AppContext,
  work: (within: ApiContext) => Promise<Result>,
): Promise<Result | Problem> {
  try {
    return await context.prisma.$transaction(
      async (transaction) => {
        const sql = sqlWithin(transaction)
        // Prisma's limit does not hold if this host is suspended or cut off. Others may wait for what it has locked.
        await sql(`set local idle_in_transaction_session_timeout = ${timeoutMs}`)
        return work({ ...context, prisma: transaction, sql })
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
  { request_id, client_address }: RequestOrigin,
): NewAuditEntry[] {
  if (!audit) throw new Error(`the response of ${operation} contains no audit entry`)
  return [audit, ...(audit.also ?? [])].map(({ target, changes = {} }) => ({
    ...{ key_id: keyId, key_name: keyName, operation, target, changes, request_id, client_address },
  }))
}
