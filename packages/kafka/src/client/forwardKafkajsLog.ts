import { type logCreator, logLevel } from "kafkajs"
import type { Log } from "./log.ts"

const repeatAfterMs = 30_000

/**
 * Writes errors as warnings, because the callers report what failed. A warning that repeats within 30 s
 * becomes debug: while a broker was down, there were 30 per second.
 */
export function forwardKafkajsLog(log: Log): logCreator {
  const warnedAt = new Map<string, number>()
  function isNew(message: string): boolean {
    const now = performance.now()
    const last = warnedAt.get(message)
    if (last !== undefined && now - last < repeatAfterMs) return false
    if (warnedAt.size > 100) warnedAt.clear()
    warnedAt.set(message, now)
    return true
  }
  return () => (entry) => {
    const { message: detail, ...data } = entry.log
    // No other fields are logged: with KAFKAJS_LOG_LEVEL=DEBUG they include the content of records.
    const { groupId, memberId, topic, partition, broker, nodeId, retryCount, retryTime } = data
    const place = { kafkajs: entry.namespace, groupId, memberId, topic, partition, broker, nodeId }
    const fields = { detail, ...place, retryCount, retryTime }
    const isWarning = entry.level === logLevel.ERROR || entry.level === logLevel.WARN
    if (isWarning && isNew(detail)) log.warn(fields, "the Kafka client reports a problem")
    else log.debug(fields, "the Kafka client reports")
  }
}
