import type { Job } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Offsets, readTopic } from "@sitewire/kafka"
import { z } from "zod"
import type { Publish } from "../kafka/publisher.ts"

/** A job as its runner sees it. What `filter` and `position` hold is each kind's own. */
export type RunningJob = {
  id: string
  kind: Job["kind"]
  filter: unknown
  position: unknown
  createdAt: Date
  /** By Postgres's clock, which all consoles share. */
  now: Date
}

/** How many a second a job takes at most; null where it has no pace. */
export function paceOf(position: unknown): number | null {
  return pacedSchema.safeParse(position).data?.perSecond ?? null
}
const pacedSchema = z.object({ perSecond: z.int() })

/** What became of one step. `away`: nothing is written, and the step is taken again later. */
export type Step =
  | {
      kind: "stepped"
      position: object
      /** Added to the job's counts. */
      counts: Record<string, number>
      done: boolean
      /** No console takes the next step before this time is over, counted from the step's start. */
      restMs?: number
    }
  | { kind: "away"; why: string }

type JobTopics = { sitePaid: string; sitePaidInvalid: string }

/** Kafka does not answer, or not in time: the same call may succeed later. */
export class KafkaAway extends Error {
  override name = "KafkaAway"
}

/** The topic of refused records, read in pieces. Both reject with `KafkaAway`. */
export type InvalidTopic = {
  end(): Promise<Offsets>
  read(piece: {
    from: Offsets
    to: Offsets
    maxRecords: number
    maxBytes: number
  }): ReturnType<typeof readTopic>
}

export type StepParts = {
  /** In the transaction that holds the job, so that what a step writes and its position are one. */
  sql: Sql
  publish: Publish
  topics: JobTopics
  invalid: InvalidTopic
}

/** Publishes all, and says so only if the broker has acknowledged every one. */
export async function publishAll(publish: Publish, records: Parameters<Publish>[0][]): ReturnType<Publish> {
  const outcomes = await Promise.all(records.map((record) => publish(record)))
  return outcomes.find(({ kind }) => kind === "away") ?? { kind: "acknowledged" }
}
