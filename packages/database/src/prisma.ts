import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "../generated/client.ts"
import type { Pool } from "./pool.ts"

/** The Prisma client on the pool that the written statements use, so that one bound on connections holds for both. */
export function openPrisma(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool.driver) })
}

export type { PrismaClient }
