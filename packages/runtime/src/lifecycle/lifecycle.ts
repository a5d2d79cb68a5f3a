import type { Logger } from "../logging/logger.ts"

export type Lifecycle = {
  /** Aborted when the process begins to stop, so that long waits end. */
  readonly stopping: AbortSignal
  /**
   * Aborted after four fifths of the shutdown deadline. Until then, code that must record an outcome retries.
   */
  readonly expiring: AbortSignal
  /** The function that was registered last is called first. */
  onStop(name: string, close: (deadlineMs: number) => Promise<unknown>): void
  /**
   * Closes what was registered. Exits with `exitCode` (default: 0), or 1 if something failed or was late.
   */
  stop(reason: string, exitCode?: number): Promise<void>
}

type Signals = Pick<NodeJS.Process, "on" | "exit">

/**
 * Closes everything at SIGTERM and SIGINT. A second signal exits at once. So does an uncaught error, because
 * other processes continue the work from Kafka and Postgres.
 */
export function startLifecycle(settings: { log: Logger; deadlineMs: number; process?: Signals }): Lifecycle {
  const { log, deadlineMs, process: host = process } = settings
  const stopping = new AbortController()
  const expiring = new AbortController()
  const closers: { name: string; close: (deadlineMs: number) => Promise<unknown> }[] = []
  let stopped: Promise<void> | undefined

  async function closeAll(exitCode: number): Promise<void> {
    const endsAt = performance.now() + deadlineMs
    let clean = true
    // Takes one closer at a time, because a start that has not ended yet may still register more.
    for (let next = closers.pop(); next !== undefined; next = closers.pop()) {
      const { name, close } = next
      const leftMs = Math.max(0, endsAt - performance.now())
      const outcome = await closeWithin(() => close(leftMs), leftMs)
      if (outcome.ok) continue
      clean = false
      log.error({ component: name, error: outcome.error }, "could not be closed in time or without an error")
    }
    log.info({ clean }, "stopped")
    host.exit(clean ? exitCode : 1)
  }

  function stop(reason: string, exitCode = 0): Promise<void> {
    if (!stopped) {
      log.info({ reason, deadlineMs }, "stopping")
      stopping.abort()
      setTimeout(() => expiring.abort(), deadlineMs * 0.8)
      stopped = closeAll(exitCode)
    }
    return stopped
  }

  function onSignal(signal: NodeJS.Signals): void {
    if (stopped) {
      log.warn({ signal }, "second signal: exiting at once")
      host.exit(1)
      return
    }
    void stop(signal)
  }

  function onCrash(error: unknown): void {
    log.fatal({ error }, "uncaught error; exiting")
    host.exit(1)
  }

  host.on("SIGTERM", onSignal)
  host.on("SIGINT", onSignal)
  host.on("uncaughtException", onCrash)
  host.on("unhandledRejection", onCrash)
  return {
    stopping: stopping.signal,
    expiring: expiring.signal,
    onStop: (name, close) => void closers.push({ name, close }),
    stop,
  }
}

async function closeWithin(
  close: () => Promise<unknown>,
  deadlineMs: number,
): Promise<{ ok: true } | { ok: false; error: unknown }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("took longer than the shutdown deadline")), deadlineMs)
  })
  try {
    await Promise.race([close(), late])
    return { ok: true }
  } catch (error) {
    return { ok: false, error }
  } finally {
    clearTimeout(timer)
  }
}
