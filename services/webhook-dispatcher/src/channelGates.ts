export type GateSettings = {
  /** Attempts under way for one channel, at most. */
  maxInFlight: number
  /** Attempts under way for all channels that are slow, at most, as long as each has one. */
  slowShare: number
  /** What would wait longer than this is turned away, in milliseconds. */
  maxWaitMs: number
  /** Failures in a row that open the breaker. */
  breakerFailures: number
  /** How long the breaker stays open before a probe; doubles with each failed probe, up to ten times this. */
  breakerCooldownMs: number
  now?: () => number
  onBreaker?: (channel: string, state: "open" | "closed", failures: number) => void
  /** The channel has just taken a delivery, and nothing waits for the place. */
  onRoom?: (channel: string) => void
}

export type Entry =
  /** The attempt may start. `leave` must be called when it is over, with what it says of the channel. */
  | { kind: "entered"; leave: (seen: "delivered" | "failed" | "nothing") => void }
  /** The channel cannot take it now. */
  | { kind: "turned-away"; why: "busy" | "breaker" | "paused" }

/** How often what waits is looked at while anything does. */
const sweepEveryMs = 50

/**
 * A channel that takes longer for an answer, usually or now, is slow: its attempts hold what all channels share. A dozen
 * of these would have everything, and one that is slow and succeeds never opens its breaker.
 */
const slowMs = 500

/** Attempts under way for a channel of which nothing is known. One more with each success, as after an open breaker. */
const firstLimit = 8

/** Gates are kept between attempts; from so many on, those that say nothing of their channels are forgotten. */
const manyGates = 1_000

/** How fast a channel's usual answer time follows the newest answers: each counts for a fifth. */
const newestShare = 0.2

/** `probe`: it was let through an open breaker, to see whether the channel answers again. */
type UnderWay = { startedAt: number; probe: boolean }

type Gate = {
  /** The oldest first. */
  inFlight: UnderWay[]
  waiting: { enter: (entry: Entry) => void }[]
  usualMs: number
  failures: number
  /** How many may be in flight now, were it not slow: 1 after a hold or an open breaker, one more with each success. */
  limit: number
  openUntil: number
  cooldownMs: number
}

/**
 * Keeps one channel from holding up others: per channel a bound on attempts in flight and a breaker. A channel that
 * answers quickly may be waited for a little; one that hangs is turned away at once, so that what it holds of the
 * process is its own bound and no more. State is this process's own and is lost with it: a new process learns anew.
 */
export function createChannelGates(settings: GateSettings) {
  const {
    maxInFlight,
    slowShare,
    maxWaitMs,
    breakerFailures,
    breakerCooldownMs,
    now = () => performance.now(),
  } = settings
  const gates = new Map<string, Gate>()
  let forgetFrom = manyGates
  let sweep: NodeJS.Timeout | undefined
  const startLimit = Math.min(maxInFlight, firstLimit)
  let slow = { channels: 0, countedAt: Number.NEGATIVE_INFINITY }

  function gateOf(channel: string): Gate {
    let gate = gates.get(channel)
    if (!gate) {
      if (gates.size >= forgetFrom) forgetUnremarkable()
      gate = {
        inFlight: [],
        waiting: [],
        usualMs: 0,
        failures: 0,
        limit: startLimit,
        openUntil: 0,
        cooldownMs: breakerCooldownMs,
      }
      gates.set(channel, gate)
    }
    return gate
  }

  function forgetUnremarkable(): void {
    for (const [channel, gate] of gates) {
      const idle = gate.inFlight.length === 0 && gate.waiting.length === 0
      if (idle && !isOpen(gate) && gate.failures === 0 && gate.limit >= startLimit) gates.delete(channel)
    }
    forgetFrom = Math.max(manyGates, 2 * gates.size)
  }

  /** How long its answers take, usually or now. */
  function slownessOf({ usualMs, inFlight }: Gate): number {
    const oldest = inFlight[0]
    return Math.max(usualMs, oldest === undefined ? 0 : now() - oldest.startedAt)
  }

  function countSlow(): number {
    // It changes slowly, and there may be thousands of gates.
    if (now() - slow.countedAt >= sweepEveryMs) {
      let channels = 0
      for (const gate of gates.values())
        if (gate.inFlight.length > 0 && slownessOf(gate) >= slowMs) channels += 1
      slow = { channels, countedAt: now() }
    }
    return slow.channels
  }

  function limitOf(gate: Gate): number {
    if (gate.inFlight.length === 0 || slownessOf(gate) < slowMs) return gate.limit
    return Math.min(gate.limit, Math.max(1, Math.floor(slowShare / Math.max(1, countSlow()))))
  }

  /** How many may wait: the last of them would wait `maxWaitMs` if each is as slow as usual, or as the slowest now. */
  function roomToWait(gate: Gate): number {
    const slowness = slownessOf(gate)
    return slowness === 0 ? Number.POSITIVE_INFINITY : Math.floor((maxWaitMs / slowness) * limitOf(gate))
  }

  /** A channel that has begun to hang is seen by what waits: the longer it hangs, the fewer may wait. */
  function turnAwayTooLate(): void {
    let anyWaits = false
    for (const gate of gates.values()) {
      if (gate.waiting.length === 0) continue
      for (const { enter } of gate.waiting.splice(roomToWait(gate)))
        enter({ kind: "turned-away", why: "busy" })
      anyWaits ||= gate.waiting.length > 0
    }
    if (anyWaits) return
    clearInterval(sweep)
    sweep = undefined
  }

  function enter(channel: string): Entry | Promise<Entry> {
    const gate = gateOf(channel)
    if (isOpen(gate)) {
      // After the cool-down, one probe at a time.
      if (now() < gate.openUntil || gate.inFlight.length > 0) return { kind: "turned-away", why: "breaker" }
      return admit(channel, gate)
    }
    if (gate.inFlight.length < limitOf(gate)) return admit(channel, gate)
    if (gate.waiting.length >= roomToWait(gate)) return { kind: "turned-away", why: "busy" }
    sweep ??= setInterval(turnAwayTooLate, sweepEveryMs)
    return new Promise((enter) => void gate.waiting.push({ enter }))
  }

  function hasRoom(gate: Gate): boolean {
    return !isOpen(gate) && gate.waiting.length === 0 && gate.inFlight.length < limitOf(gate)
  }

  /** How many could enter or wait now; none where something waits already. */
  function roomOf(channel: string): number {
    const gate = gateOf(channel)
    return hasRoom(gate) ? limitOf(gate) - gate.inFlight.length + roomToWait(gate) : 0
  }

  function isOpen(gate: Gate): boolean {
    return gate.openUntil > 0
  }

  function admit(channel: string, gate: Gate): Entry {
    const attempt = { startedAt: now(), probe: isOpen(gate) }
    gate.inFlight.push(attempt)
    return { kind: "entered", leave: (seen) => leave(channel, gate, attempt, seen) }
  }

  function leave(
    channel: string,
    gate: Gate,
    attempt: UnderWay,
    seen: "delivered" | "failed" | "nothing",
  ): void {
    const place = gate.inFlight.indexOf(attempt)
    if (place < 0) return
    gate.inFlight.splice(place, 1)
    if (seen !== "nothing") gate.usualMs += (now() - attempt.startedAt - gate.usualMs) * newestShare
    if (seen === "delivered") succeeded(channel, gate)
    if (seen === "failed") failed(channel, gate, attempt)
    admitWaiting(channel, gate)
    if (seen === "delivered" && hasRoom(gate)) settings.onRoom?.(channel)
  }

  function succeeded(channel: string, gate: Gate): void {
    gate.failures = 0
    gate.cooldownMs = breakerCooldownMs
    if (isOpen(gate)) {
      gate.openUntil = 0
      gate.limit = 1
      settings.onBreaker?.(channel, "closed", 0)
    } else {
      // What waited comes back all at once; the partner has only just recovered, so the bound grows with its answers.
      gate.limit = Math.min(maxInFlight, gate.limit + 1)
    }
  }

  function failed(channel: string, gate: Gate, { probe }: UnderWay): void {
    gate.failures += 1
    if (gate.failures < breakerFailures) return
    const wasOpen = isOpen(gate)
    // Begun before the breaker opened, and so no news of how the channel is since.
    if (wasOpen && !probe) return
    if (wasOpen) gate.cooldownMs = Math.min(gate.cooldownMs * 2, breakerCooldownMs * 10)
    gate.openUntil = now() + gate.cooldownMs
    if (!wasOpen) settings.onBreaker?.(channel, "open", gate.failures)
  }

  function admitWaiting(channel: string, gate: Gate): void {
    if (isOpen(gate)) {
      for (const { enter } of gate.waiting.splice(0)) enter({ kind: "turned-away", why: "breaker" })
      return
    }
    while (gate.inFlight.length < limitOf(gate)) {
      const next = gate.waiting.shift()
      if (!next) return
      next.enter(admit(channel, gate))
    }
  }

  /**
   * For a channel that is seen to be paused: what waits for a place is turned away, and after the resume the bound
   * grows from 1 with each success, as what was held back comes all at once.
   */
  function hold(channel: string): void {
    const gate = gateOf(channel)
    gate.limit = 1
    for (const { enter } of gate.waiting.splice(0)) enter({ kind: "turned-away", why: "paused" })
  }

  return {
    hold,
    roomOf,
    /** Asks for a place of the channel: at once where one is free or none will be soon, otherwise when one is. */
    enter,
    counts: () => {
      const all = [...gates.values()]
      return {
        inFlight: all.reduce((sum, gate) => sum + gate.inFlight.length, 0),
        waiting: all.reduce((sum, gate) => sum + gate.waiting.length, 0),
        open: all.filter(isOpen).length,
      }
    },
  }
}

export type ChannelGates = ReturnType<typeof createChannelGates>
