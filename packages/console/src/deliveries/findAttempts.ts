import { type Attempt, attemptSchema, timeSchema } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { z } from "zod"

export type AttemptRow = Pick<Prisma.AttemptModel, keyof Attempt>

const columns = Object.keys(attemptSchema.shape).join(", ")

/** Resends can make thousands of attempts of one delivery. */
export function attemptsOf(sql: Sql, delivery: string) {
  return {
    key: z.tuple([z.int32(), timeSchema]),
    keyOf: ({ number, started_at }: AttemptRow): AttemptKey => [number, started_at.toISOString()],
    read: (after: AttemptKey | undefined, count: number) =>
      sql<AttemptRow>(
        ...named(
          `select ${columns} from attempt
           where delivery_id = $delivery ${after ? "and (number, started_at) < ($number::int, $started_at::timestamptz)" : ""}
           order by number desc, started_at desc limit $count`,
          { delivery, count, number: after?.[0], started_at: after?.[1] },
        ),
      ),
  }
}

type AttemptKey = [number: number, startedAt: string]
