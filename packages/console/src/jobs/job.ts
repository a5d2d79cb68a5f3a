import type { Job } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { z } from "zod"
import type { InvalidTopic } from "../kafka/invalidTopic.ts"
import type { Publish } from "../kafka/publisher.ts"

/** A job that is running. The format of `filter` and `position` depends on the kind. */
export type RunningJob = {
  id: string
  kind: Job["kind"]
  filter: unknown
  /** How far the job is. */
  position: unknown
  createdAt: Date
  /** By Postgres's clock, which all consoles share. */
  now: Date
}

/** What became of one step of a job. `unavailable`: the step was rolled back and will be retried. */
export type Step =
  | {
      kind: "completed"
      position: object
      /** Added to the job's counts. */
      counts: Record<string, number>
      /** True after the job's last step. */
      done: boolean
      /**
       * The minimum time from the start of this step to the start of the next, on any console. Default: none.
       */
      intervalMs?: number
    }
  | { kind: "unavailable"; why: string }

export type StepContext = {
  /**
   * In the step's transaction, so that what the step writes is committed together with the job's position.
   */
  sql: Sql
  publish: Publish
  topics: { sitePaid: string; sitePaidInvalid: string }
  invalidTopic: InvalidTopic
}

/** How many deliveries or events per second a job processes at most; null if its kind has no limit. */
export function rateOf(position: unknown): number | null {
  return rateSchema.safeParse(position).data?.perSecond ?? null
}
const rateSchema = z.object({ perSecond: z.int() })
