import { type Caller, onlyVisible } from "../../auth/caller.ts"
import type { ApiContext } from "../defineRoute.ts"
import { connectionColumns } from "./connectionResponse.ts"

/** Null if the connection does not exist or belongs to a site that the API key may not see. */
export function findConnection(prisma: ApiContext["prisma"], id: string, caller: Caller) {
  return prisma.connection.findFirst({ where: visibleConnection(id, caller), select: connectionColumns })
}

/** A Prisma filter for one connection, if the API key may see its site. */
export function visibleConnection(id: string, caller: Caller) {
  const site = onlyVisible(caller.sites)
  return site ? { id, site } : { id }
}
