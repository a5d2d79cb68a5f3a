import type { Prisma, PrismaQueries } from "@sitewire/database/prisma"

/** What a delivery waits for. Null: for nothing. */
export type Waiting = Pick<
  Prisma.WaitingDeliveryModel,
  "next_attempt_at" | "deferred_at" | "deferred_reason"
> | null

/** Adds to each delivery what it waits for. */
export async function withWaiting<Row extends { id: string }>(
  prisma: PrismaQueries,
  rows: readonly Row[],
): Promise<(Row & { waiting: Waiting })[]> {
  const waiting = await prisma.waitingDelivery.findMany({
    where: { delivery_id: { in: rows.map(({ id }) => id) } },
    select: { delivery_id: true, next_attempt_at: true, deferred_at: true, deferred_reason: true },
  })
  const byId = new Map(waiting.map(({ delivery_id, ...row }) => [delivery_id, row]))
  return rows.map((row) => ({ ...row, waiting: byId.get(row.id) ?? null }))
}
