import { type logCreator, logLevel } from "kafkajs"

type Write = (fields: object, message: string) => void

/** The part of a pino logger that this package uses. */
export type Log = { debug: Write; info: Write; warn: Write; error: Write }

/**
 * What of kafkajs's own fields may reach a log line. A list of what is allowed, because with
 * KAFKAJS_LOG_LEVEL=DEBUG the library logs whole requests and responses: records, and what is in them.
 */
const allowed = ["groupId", "memberId", "topic", "partition", "broker", "nodeId", "retryCount", "retryTime"]

const quietMs = 30_000

/**
 * Sends kafkajs's log to `log`, one level lower than it thinks of itself: it calls each refused connection an
 * error and each pause of a partition an info. What it means for us is reported by the code that calls it. A
 * warning that was given within the last 30 s is debug: without a broker there were 30 a second.
 */
export function routeKafkajsLog(log: Log): logCreator {
  const warnedAt = new Map<string, number>()
  function isNews(message: string): boolean {
    const now = Date.now()
    const last = warnedAt.get(message)
    if (last !== undefined && now - last < quietMs) return false
    if (warnedAt.size > 100) warnedAt.clear()
    warnedAt.set(message, now)
    return true
  }
  return () => (entry) => {
    const { message } = entry.log
    const fields: Record<string, unknown> = { kafkajs: entry.namespace }
    for (const name of allowed) if (entry.log[name] !== undefined) fields[name] = entry.log[name]
    const isWarning = entry.level === logLevel.ERROR || entry.level === logLevel.WARN
    if (isWarning && isNews(message)) log.warn(fields, message)
    else log.debug(fields, message)
  }
}

/** For a question whose answer says it all: kafkajs adds two warnings to each refusal. */
export function quietLog(log: Log): Log {
  const quiet = log.debug.bind(log)
  return { debug: quiet, info: quiet, warn: quiet, error: quiet }
}

/** The shortest true sentence about an unknown error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
