import { type Attempt, attemptSchema, timeSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
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
        `select ${columns} from attempt
         where delivery_id = $1 ${after ? "and (number, started_at) < ($3::int, $4::timestamptz)" : ""}
         order by number desc, started_at desc limit $2`,
        [delivery, count, ...(after ?? [])],
      ),
  }
}

type AttemptKey = [number: number, startedAt: string]
