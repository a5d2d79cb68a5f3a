type Write = (fields: object, message: string) => void

export type Log = { debug: Write; info: Write; warn: Write; error: Write }

/** Writes every line as debug, for requests whose failure the caller reports itself. */
export function quietLog(log: Log): Log {
  const quiet = log.debug.bind(log)
  return { debug: quiet, info: quiet, warn: quiet, error: quiet }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
