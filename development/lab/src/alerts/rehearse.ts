import { setTimeout as sleep } from "node:timers/promises"
import { readFiringAlerts } from "@sitewire/testkit/prometheus"
import type { Scenario } from "./scenarios.ts"
import type { System } from "./startSystem.ts"

const firesWithinMs = 150_000
const resolvesWithinMs = 180_000

export type Outcome = {
  cause: string
  alert: string
  /** Seconds from the cause's begin. Null: it did not fire. */
  firedAfter: number | null
  /** Seconds from the cause's end. Null: it did not resolve. */
  resolvedAfter: number | null
}

/** Begins the cause, waits until its alerts fire, ends the cause, and waits until no alert fires. */
export async function rehearse(
  { cause, alerts, alertsAfterwards = [], begin }: Scenario,
  { system, prometheus, progress }: { system: System; prometheus: string; progress: (line: string) => void },
): Promise<{ outcomes: Outcome[]; others: string[] }> {
  await waitForQuiet(prometheus, cause)
  progress(cause)
  const fired = new Map<string, number>()
  const resolved = new Map<string, number>()
  const beganAt = performance.now()
  const observing = new AbortController()
  const observer = observe()

  async function observe(): Promise<void> {
    while (!observing.signal.aborted) {
      const firing = await readFiringAlerts(prometheus).catch(() => null)
      const now = performance.now()
      for (const alert of firing ?? []) {
        if (!fired.has(alert)) progress(`  ${alert} fires after ${seconds(now - beganAt)} s`)
        fired.set(alert, fired.get(alert) ?? now - beganAt)
        resolved.delete(alert)
      }
      for (const alert of fired.keys())
        if (firing && !firing.has(alert) && !resolved.has(alert)) resolved.set(alert, now)
      await sleep(250)
    }
  }

  const end = await begin(system)
  await until(() => alerts.every((alert) => fired.has(alert)), firesWithinMs)
  const endedAt = performance.now()
  await end()
  await until(() => alertsAfterwards.every((alert) => fired.has(alert)), firesWithinMs)
  await until(() => [...fired.keys()].every((alert) => resolved.has(alert)), resolvesWithinMs)
  observing.abort()
  await observer
  const expected = [...alerts, ...alertsAfterwards]
  const outcomes = expected.map((alert) => {
    const [firedAfter, resolvedAt] = [fired.get(alert), resolved.get(alert)]
    return {
      cause,
      alert,
      firedAfter: firedAfter === undefined ? null : seconds(firedAfter),
      resolvedAfter: resolvedAt === undefined ? null : seconds(Math.max(0, resolvedAt - endedAt)),
    }
  })
  return { outcomes, others: [...fired.keys()].filter((alert) => !expected.includes(alert)) }
}

async function waitForQuiet(prometheus: string, cause: string): Promise<void> {
  const isQuiet = async () => (await readFiringAlerts(prometheus)).size === 0
  if (await until(isQuiet, resolvesWithinMs)) return
  throw new Error(`Before "${cause}", alerts fire: ${[...(await readFiringAlerts(prometheus))].join(", ")}`)
}

async function until(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(250))
    if (await condition()) return true
  return false
}

const seconds = (ms: number) => Math.round(ms / 100) / 10
