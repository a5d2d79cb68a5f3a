import { groupLag } from "@sitewire/kafka"
import { groups } from "../../groups.ts"
import type { ChaosInstallation } from "../../startChaosInstallation.ts"
import type { AttemptRow, DeliveryRow, Evidence, SeenRequest } from "./evidence.ts"
import { readUncommittedKeys } from "./readUncommittedKeys.ts"

export async function isOutboundQuiet(
  { sql, names, kafka }: ChaosInstallation,
  published: number,
  retryTopics: string[],
): Promise<boolean> {
  const [row] = await sql<{ stored: number; unfinished: number }>(
    `select count(*)::int as stored,
       count(*) filter (where state = 'pending' or deferred_at is not null or next_attempt_at is not null)::int
         as unfinished
     from delivery`,
  )
  if (row?.unfinished !== 0 || row.stored < published) return false
  const lags = await Promise.all([
    groupLag(kafka, groups.paid, [names.sitePaid]),
    groupLag(kafka, groups.retries, retryTopics),
  ])
  return lags.flat().every(({ lag }) => lag <= 0)
}

/** No dispatcher may run meanwhile, because it would commit more records. */
export async function readUncommitted(
  { names, kafka }: ChaosInstallation,
  retryTopics: string[],
): Promise<Evidence["uncommittedKeys"]> {
  return {
    events: await readUncommittedKeys(kafka, groups.paid, [names.sitePaid]),
    deliveries: await readUncommittedKeys(kafka, groups.retries, retryTopics),
  }
}

export async function readDeliveries({ sql }: ChaosInstallation): Promise<DeliveryRow[]> {
  return sql<DeliveryRow>(
    `select id as delivery, event_id as event, state::text, attempts, encode(body_sha256, 'hex') as sha256,
       deferred_at is not null as deferred, next_attempt_at is not null as scheduled
     from delivery`,
  )
}

export async function readAttempts({ sql }: ChaosInstallation): Promise<AttemptRow[]> {
  return sql<AttemptRow>(
    `select delivery_id as delivery, number, (extract(epoch from started_at) * 1000)::float8 as at,
       error is null as delivered
     from attempt`,
  )
}

export async function readRequests(url: string): Promise<SeenRequest[]> {
  const text = await fetch(`${url}/requests`).then((response) => response.text())
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as SeenRequest)
}
