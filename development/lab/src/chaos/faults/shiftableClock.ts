// Loaded into a dispatcher before its own code. Each SIGUSR2 sets its wall clock as an operator could: first a day back, then a day
// ahead, then right. Its timers and its monotonic clock go on, as they do on a host whose clock is set.

const dayMs = 86_400_000
const shiftsMs = [0, -dayMs, dayMs] as const
let at = 0

const RightDate = Date
const now = (): number => RightDate.now() + (shiftsMs[at] ?? 0)

globalThis.Date = class extends RightDate {
  constructor(...of: unknown[]) {
    super(...((of.length === 0 ? [now()] : of) as [number]))
  }
  static override now = now
} as DateConstructor

process.on("SIGUSR2", () => {
  at = (at + 1) % shiftsMs.length
})
