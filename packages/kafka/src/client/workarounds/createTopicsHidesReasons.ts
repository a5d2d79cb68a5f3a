/*
 * Defect of kafkajs 2.2.4: the error of `createTopics` reads "Topic creation errors".
 * Effect: operators do not learn the reason.
 * Delete this file when the message contains the reasons, and use `reasonOf`.
 */
import kafkajs from "kafkajs"
import { reasonOf } from "../log.ts"

export function creationReasons(error: unknown): string {
  if (!(error instanceof kafkajs.KafkaJSAggregateError)) return reasonOf(error)
  return error.errors.map(reasonOf).join("; ")
}
