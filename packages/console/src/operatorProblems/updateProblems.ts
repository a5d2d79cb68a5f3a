import { type ProblemKind, problemKindSchema } from "@sitewire/contracts"
import { named, oneAtATime, type Pool, type Sql, unnestColumns } from "@sitewire/database"
import { deletePublishedDeaths } from "@sitewire/deliveries"
import { newId } from "../newIds.ts"
import type { FoundInKafka } from "./findInKafka.ts"
import { notifyOperators } from "./notifyOperators.ts"
import { type Found, problemKinds } from "./problemKinds.ts"
import { problemColumns as columns, mostOpen, others, type ProblemRow } from "./problemRow.ts"

/** A problem that comes and goes is one problem: it is resolved if it was not seen for this long. */
const resolvedAfter = "5 minutes"
const largestInteger = 2 ** 31 - 1

/** The key of the advisory lock that lets only one console update at a time, so that two cannot deadlock. */
const lockKey = 7_120_461

/**
 * Compares the stored problems with those that exist now. The messages to operators are inserted in the same
 * transaction, so a crash loses none and repeats none. Returns the rows that began or ended.
 * `inKafka` is null if Kafka could not be read: its problems then stay as they are.
 */
export async function updateProblems(pool: Pool, inKafka: FoundInKafka | null): Promise<ProblemRow[]> {
  return (await oneAtATime(pool, lockKey, (sql) => compare(sql, inKafka))) ?? []
}

async function compare(sql: Sql, inKafka: FoundInKafka | null): Promise<ProblemRow[]> {
  await deletePublishedDeaths(sql)
  const began: ProblemRow[] = []
  for (const kind of problemKindSchema.options) {
    const { find } = problemKinds[kind]
    const found = find === "in Kafka" ? inKafka?.get(kind) : await find(sql)
    if (found === undefined) await stayOpen(sql, kind)
    else if (found.length > 0) began.push(...(await storeFound(sql, kind, await limit(sql, kind, found))))
  }
  const ended = await sql<ProblemRow>(
    `update operator_problem set resolved_at = now()
      where resolved_at is null and seen_at < now() - interval '${resolvedAfter}' returning ${columns}`,
  )
  const changed = [...ended, ...began]
  await notifyOperators(sql, changed)
  return changed
}

/** Nothing is known of problems of this kind. */
async function stayOpen(sql: Sql, kind: ProblemKind): Promise<void> {
  await sql("update operator_problem set seen_at = now() where kind = $1 and resolved_at is null", [kind])
}

/**
 * At most `mostOpen` problems of a kind are stored at a time, so that a thousand bad channels do not make a thousand
 * rows and messages. Those that are open stay, then come the oldest. The others are one problem.
 */
async function limit(sql: Sql, kind: ProblemKind, found: readonly Found[]): Promise<Found[]> {
  const rows = await sql<{ subject_id: string }>(
    "select subject_id from operator_problem where kind = $1 and resolved_at is null and subject_id <> $2",
    [kind, others],
  )
  const open = new Set(rows.map(({ subject_id }) => subject_id))
  const isOpen = ({ subject_id }: Found) => open.has(subject_id)
  const oldestFirst = found
    .filter((one) => !isOpen(one))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
  const free = Math.max(0, mostOpen - open.size)
  const [oldest, ...more] = oldestFirst.slice(free)
  const together = oldest
    ? [{ subject_id: others, since: oldest.since, details: { problems: more.length + 1 } }]
    : []
  return [...found.filter(isOpen), ...oldestFirst.slice(0, free), ...together]
}

const foundColumns = {
  id: "text",
  subject_id: "text",
  since: "timestamptz",
  details: "jsonb",
  count: "integer",
}

async function storeFound(sql: Sql, kind: ProblemKind, found: readonly Found[]): Promise<ProblemRow[]> {
  const rows = await sql<ProblemRow & { began: boolean }>(
    ...named(
      `insert into operator_problem as stored (id, kind, subject_id, since, details, max_count)
       select id, $kind, subject_id, since, details, count from ${unnestColumns(foundColumns)}
       on conflict (kind, subject_id) where resolved_at is null
         do update set seen_at = now(), details = excluded.details,
                       max_count = greatest(stored.max_count, excluded.max_count)
       returning ${columns}, xmax = 0 as began`,
      {
        kind,
        id: found.map(() => newId("prb")),
        subject_id: found.map(({ subject_id }) => subject_id),
        since: found.map(({ since }) => since.toISOString()),
        details: found.map(({ details }) => JSON.stringify(details)),
        count: found.map((one) => countOf(kind, one)),
      },
    ),
  )
  return rows.filter(({ began }) => began)
}

function countOf(kind: ProblemKind, { subject_id, details }: Found): number | null {
  const count = details[subject_id === others ? "problems" : (problemKinds[kind].counted ?? "")]
  return typeof count === "number" ? Math.min(count, largestInteger) : null
}
