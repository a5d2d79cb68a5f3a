import type { Job } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import { z } from "zod"
import type { Publish } from "../kafka/publisher.ts"
import type { InvalidTopic } from "../kafka/topicReader.ts"

/**
 * A job whose step runs now. `filter` selects what the job processes, and `position` is how far it
 * has come.
 */
export type RunningJob = {
  id: string
  kind: Job["kind"]
  filter: unknown
  position: unknown
  createdAt: Date
  /** When the step started, by Postgres's clock, which all consoles share. */
  now: Date
}

/** The outcome of one step of a job. A step that rejects is rolled back and retried. */
export type Step = {
  position: object
  counts: Record<string, number>
  done: boolean
  /** The next step starts at least this long after the start of this step, on any console. Default: 0. */
  intervalMs?: number
}

export type StepContext = {
  /** Runs statements in the step's transaction, which also saves the job's position. */
  sql: Sql
  sealingKeys: SealingKeys
  publish: Publish
  topics: { sitePaid: string; sitePaidInvalid: string }
  invalidTopic: InvalidTopic
}

/** How many deliveries or events per second a job processes at most; null if its kind has no limit. */
export function rateOf(position: unknown): number | null {
  return rateSchema.safeParse(position).data?.perSecond ?? null
}
const rateSchema = z.object({ perSecond: z.int() })

/** How many deliveries or events match a job's filter; null if that is not counted. */
export function totalOf(position: unknown): number | null {
  return totalSchema.safeParse(position).data?.total ?? null
}
const totalSchema = z.object({ total: z.int() })
