import type { DeferralReason } from "@sitewire/contracts"
import type { ApiContext } from "../defineRoute.ts"

/** What a delivery waits for. Null: for nothing. */
export type Waiting = {
  nextAttemptAt: Date | null
  deferredAt: Date | null
  deferredReason: DeferralReason | null
} | null

/** Adds to each delivery what it waits for. */
export async function withWaiting<Row extends { id: string }>(
  prisma: ApiContext["prisma"],
  rows: readonly Row[],
): Promise<(Row & { waiting: Waiting })[]> {
  const waiting = await prisma.waitingDelivery.findMany({
    where: { deliveryId: { in: rows.map(({ id }) => id) } },
    select: { deliveryId: true, nextAttemptAt: true, deferredAt: true, deferredReason: true },
  })
  const byId = new Map(waiting.map(({ deliveryId, ...row }) => [deliveryId, row]))
  return rows.map((row) => ({ ...row, waiting: byId.get(row.id) ?? null }))
}
