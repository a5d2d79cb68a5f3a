import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "../generated/client.ts"
import type { Pool } from "./pool.ts"

export function openPrisma(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool.driver) })
}

export type { PrismaClient }
