import { PrismaPg } from "@prisma/adapter-pg"
import { type Prisma, PrismaClient } from "../generated/client.ts"
import type { Pool, Sql } from "./pool.ts"

export function openPrisma(pool: Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool.driver) })
}

export type { Prisma, PrismaClient }

/** A client within a transaction, or one without. */
export type PrismaQueries = Prisma.TransactionClient

/** Runs statements in the transaction of `prisma`. Returns the types that the pool's own `sql` returns. */
export function sqlWithin(prisma: PrismaQueries): Sql {
  return async <R extends Record<string, unknown>>(text: string, values: readonly unknown[] = []) => {
    const rows = await prisma.$queryRawUnsafe<Record<string, unknown>[]>(text, ...values)
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(likeDriver)) as R)
  }
}

function likeDriver([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value === "bigint") return [name, String(value)]
  return [name, value instanceof Uint8Array ? Buffer.from(value) : value]
}
