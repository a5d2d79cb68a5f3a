import { setTimeout as sleep } from "node:timers/promises"
import type { StartedProcess } from "./startProcess.ts"

export type ProcessEvent =
  | { kind: "started"; pid: number }
  /** `unasked`: the process was not stopped by its supervisor, and is started again. */
  | { kind: "ended"; pid: number; code: number | null; signal: NodeJS.Signals | null; unasked: boolean }
  | { kind: "failed to start"; error: unknown }

export type SupervisedProcess = {
  name: string
  pid(): number | undefined
  addresses(): Record<string, string>
  /**
   * Resolves when the process is ready. If a start fails, tries again until one succeeds; without `retry`,
   * rejects.
   */
  start(options?: { retry?: boolean }): Promise<void>
  /** Sends SIGKILL, even while the process is starting. */
  kill(): Promise<void>
  /** Sends SIGTERM, but lets a start finish before. Resolves with the exit code. */
  end(killAfterMs?: number): Promise<number | null>
  pause(): void
  unpause(): void
}

/** Restarts a process that ends unasked, as an orchestrator does. Nothing is started before `start`. */
export function supervise(settings: {
  name: string
  launch: (signal: AbortSignal) => Promise<StartedProcess>
  restartAfterMs: number
  retryAfterMs: number
  onEvent: (event: ProcessEvent) => void
}): SupervisedProcess {
  const { name, launch, restartAfterMs, retryAfterMs, onEvent } = settings
  let current: StartedProcess | null = null
  let wanted = false
  let starting: Promise<void> | null = null
  let launching = new AbortController()

  async function launchOnce(): Promise<void> {
    launching = new AbortController()
    const started = await launch(launching.signal)
    current = started
    onEvent({ kind: "started", pid: started.pid })
    void started.ended.then(() => restart(started))
  }

  function restart(ended: StartedProcess): void {
    const unasked = current === ended
    if (unasked) current = null
    const { exitCode: code, signalCode: signal } = ended.child
    onEvent({ kind: "ended", pid: ended.pid, code, signal, unasked })
    if (!unasked) return
    // The process may end while its start is still in progress, so wait for the start's end.
    void Promise.allSettled([starting]).then(() => begin(() => sleep(restartAfterMs).then(startUntilReady)))
  }

  async function startUntilReady(): Promise<void> {
    while (wanted && current === null) {
      try {
        await launchOnce()
      } catch (error) {
        onEvent({ kind: "failed to start", error })
        if (wanted) await sleep(retryAfterMs)
      }
    }
  }

  function begin(work: () => Promise<void>): Promise<void> {
    starting ??= work().finally(() => {
      starting = null
    })
    return starting
  }

  async function stop(signal: NodeJS.Signals, killAfterMs?: number): Promise<number | null> {
    wanted = false
    await starting?.catch(() => {})
    const ending = current
    current = null
    return (await ending?.end(signal, killAfterMs)) ?? null
  }

  return {
    name,
    pid: () => current?.pid,
    addresses: () => current?.addresses ?? {},
    async start({ retry = true } = {}) {
      wanted = true
      await begin(retry ? startUntilReady : launchOnce)
    },
    async kill() {
      launching.abort()
      await stop("SIGKILL")
    },
    end: (killAfterMs) => stop("SIGTERM", killAfterMs),
    pause: () => void current?.child.kill("SIGSTOP"),
    unpause: () => void current?.child.kill("SIGCONT"),
  }
}
