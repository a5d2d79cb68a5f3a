import { appendFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { StartedProcess } from "@sitewire/testkit"

export type Member = {
  name: string
  /** What it listens on now; empty while it is down. */
  addresses(): Record<string, string>
  kill(): Promise<void>
  /** Starts it, again and again until it is ready: it may exit because what it needs is unavailable. */
  start(): Promise<void>
  pause(): void
  unpause(): void
  /** SIGTERM. Resolves with the exit status. */
  end(): Promise<number | null>
  /** How often it exited by itself. */
  exits(): number
}

/**
 * A process that is killed, paused and started again, and that is started again where it exits by itself, as an
 * orchestrator does. All that it writes is appended to `logFile`.
 */
export function startMember(settings: {
  name: string
  launch: () => Promise<StartedProcess>
  logFile: string
  onExit: (name: string, code: number | null) => void
}): Member {
  const { name, launch, logFile, onExit } = settings
  let current: StartedProcess | null = null
  let wanted = false
  let starting: Promise<void> | null = null
  let exits = 0

  async function startUntilReady(): Promise<void> {
    while (wanted && current === null) {
      try {
        const started = await launch()
        for (const stream of [started.child.stdout, started.child.stderr])
          stream?.on("data", (text: string) => appendFileSync(logFile, text))
        appendFileSync(logFile, `--- started as process ${started.pid}\n${started.output()}`)
        started.child.once("exit", (code, signal) => {
          appendFileSync(logFile, `--- process ${started.pid} ended (${signal ?? code})\n`)
          if (current !== started) return
          current = null
          exits += 1
          onExit(name, code)
          void start()
        })
        current = started
        if (!wanted) await stop("SIGKILL")
      } catch (error) {
        appendFileSync(logFile, `--- did not start: ${error}\n`)
        await sleep(500)
      }
    }
  }

  function start(): Promise<void> {
    wanted = true
    starting ??= startUntilReady().finally(() => {
      starting = null
    })
    return starting
  }

  async function stop(signal: NodeJS.Signals): Promise<number | null> {
    wanted = false
    const ending = current
    current = null
    return (await ending?.end(signal)) ?? null
  }

  return {
    name,
    addresses: () => current?.addresses ?? {},
    start,
    async kill() {
      await stop("SIGKILL")
    },
    pause: () => void current?.child.kill("SIGSTOP"),
    unpause: () => void current?.child.kill("SIGCONT"),
    async end() {
      if (starting) await starting
      return stop("SIGTERM")
    },
    exits: () => exits,
  }
}
