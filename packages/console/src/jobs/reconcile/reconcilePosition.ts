import {
  blockedPartitionSchema,
  differingEventSchema,
  exceptionSchema,
  maxListedExceptions,
  type ReconciliationException,
} from "@sitewire/contracts"
import type { Offsets } from "@sitewire/kafka"
import { z } from "zod"

const offsetsSchema = z.record(z.string(), z.string())
/** `next`: where the next step continues. */
const rangeSchema = z.object({ next: offsetsSchema, end: offsetsSchema })
const unresolvedSchema = z.object({
  partition: z.int(),
  offset: z.string(),
  eventId: z.string().nullable(),
  publishedAt: z.number(),
  /** If it is in site.paid.invalid, its record there has this time or a later one. */
  rejectedAt: z.number().optional(),
})

export const reconcilePositionSchema = z.object({
  /** The parts of the topics that the job reads. Null until the first step has read their offsets. */
  ranges: z.object({ events: rangeSchema, triggers: rangeSchema }).nullable(),
  /** Consumed events without a delivery. The next steps search site.paid.invalid for them. */
  unresolved: z.array(unresolvedSchema),
  /** The part of site.paid.invalid that is searched. Null before a search. */
  invalid: rangeSchema.nullable(),
  exceptions: z.array(exceptionSchema),
  /** This and the next are absent in the position of a job that an older console began. */
  differing: z.array(differingEventSchema).default([]),
  openTransactions: z.array(blockedPartitionSchema).default([]),
})

export type Range = z.infer<typeof rangeSchema>
export type Unresolved = z.infer<typeof unresolvedSchema>
export type ReconcilePosition = z.infer<typeof reconcilePositionSchema>

export const firstReconcilePosition: ReconcilePosition = {
  ranges: null,
  unresolved: [],
  invalid: null,
  exceptions: [],
  differing: [],
  openTransactions: [],
}

/** What a reconciliation has found so far. */
export function findingsOf(position: unknown) {
  const { exceptions, differing, openTransactions } = reconcilePositionSchema.parse(position)
  return { exceptions, differing, open_transactions: openTransactions }
}

export function withExceptions(
  position: ReconcilePosition,
  found: ReconciliationException[],
): ReconcilePosition {
  return { ...position, exceptions: [...position.exceptions, ...found].slice(0, maxListedExceptions) }
}

export function isRead({ next, end }: Range): boolean {
  return Object.entries(end).every(([partition, offset]) => BigInt(next[partition] ?? "0") >= BigInt(offset))
}

/** Without a committed offset, the group has consumed nothing. */
export function isConsumed(record: { partition: number; offset: string }, committed: Offsets): boolean {
  return BigInt(record.offset) < BigInt(committed[record.partition] ?? "0")
}
