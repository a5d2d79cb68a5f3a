import { type Sql, sealContexts } from "@sitewire/database"
import { createWindow } from "@sitewire/syncs"
import { sees } from "../../auth/caller.ts"
import { idTaken, problem, siteNotAllowed } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { checkAddress, requestHeaderColumns } from "../checkAddress.ts"
import { isUniqueViolation } from "../databaseErrors.ts"
import { implement } from "../implement.ts"
import { connectionResponse, findConnection, rejectDelegate, triggerUrl } from "./connectionResponse.ts"
import { newSigningSecret, newToken } from "./replaceSecrets.ts"

export const createConnection = implement(
  "createConnection",
  async (
    { prisma, sql, sealingKeys, partnersPolicy, executorPolicy, gatewayOrigin, siteMaxConnections },
    { body, caller },
  ) => {
    if (!sees(caller.sites, body.site)) return siteNotAllowed(body.site)
    const rejected = rejectDelegate(caller, body.runner)
    if (rejected) return rejected
    const policy = body.runner === "delegate" ? executorPolicy : partnersPolicy
    const source = checkAddress("source", body.source, policy)
    if (source.kind === "problem") return source
    if (await hasMost(sql, body.site, siteMaxConnections)) {
      const detail = `The site "${body.site}" has ${siteMaxConnections} connections, which is the limit of a site (SITE_MAX_CONNECTIONS). Delete one that is not used, or ask an operator for a higher limit.`
      return problem("too-many-connections", detail)
    }
    const id = body.id ?? newId("con")
    const { token, ...ofToken } = newToken(sealingKeys, id)
    const { signing_secret, signing_secret_sealed } = newSigningSecret(sealingKeys, id)
    const { site, runner, request_headers } = body
    const headers =
      request_headers && requestHeaderColumns(sealingKeys, sealContexts.sourceHeaders(id), request_headers)
    try {
      await prisma.connection.create({
        data: {
          id,
          site,
          source: source.href,
          runner,
          ...ofToken,
          signing_secret_sealed,
          ...headers,
        },
        select: { id: true },
      })
      await createWindow(sql, id)
      const row = await findConnection(sql, id, caller)
      if (!row) throw new Error("a created connection does not exist")
      const trigger_url = triggerUrl({ id, site, token, origin: gatewayOrigin })
      const { request_header_names } = row
      const changes = changesOf(
        {},
        {
          site,
          source: source.href,
          runner,
          ...(request_header_names.length > 0 ? { request_header_names } : {}),
        },
      )
      return ok(
        { ...connectionResponse(row, caller), trigger_url, signing_secret },
        {
          headers: { location: `/v1/connections/${id}` },
          audit: { target: { kind: "connection", id }, changes },
        },
      )
    } catch (error) {
      if (isUniqueViolation(error)) return idTaken("connection", id)
      throw error
    }
  },
)

/** Any number that no other advisory lock with two numbers has. */
const lockKey = 1_936_291_942

/** Until the transaction ends, no other connection of the site is created, so that requests at the same time cannot exceed the limit. */
async function hasMost(sql: Sql, site: string, most: number): Promise<boolean> {
  await sql("select 1 as locked from pg_advisory_xact_lock($1::int, hashtext($2::text))", [lockKey, site])
  const rows = await sql("select 1 from connection where site = $1 limit $2", [site, most])
  return rows.length >= most
}
