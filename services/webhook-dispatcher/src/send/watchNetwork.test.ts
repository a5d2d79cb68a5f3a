import { plainAttempt } from "@sitewire/deliveries/fixtures/plainAttempt"
import { expect, test } from "vitest"
import type { AttemptOutcome } from "./sendRequest.ts"
import { watchNetwork } from "./watchNetwork.ts"

function outcome(error: AttemptOutcome["error"], connectMs?: number): AttemptOutcome {
  return { ...plainAttempt, error, connect_ms: connectMs ?? null, excerpt: null }
}

function startWatch() {
  const clock = { now: 0 }
  const states: boolean[] = []
  const network = watchNetwork({ onState: (isUp) => states.push(isUp), now: () => clock.now })
  const attempt = (channel: string, error: AttemptOutcome["error"], connectMs?: number) =>
    network.isOurFault(channel, outcome(error, connectMs))
  return { clock, states, network, attempt }
}

test("while nearly all channels cannot be reached, the fault is ours, until one of ten can be reached again", () => {
  const { states, attempt } = startWatch()
  for (let channel = 0; channel < 20; channel++) expect(attempt(`c${channel}`, null)).toBe(false)
  const faults = ["dns", "connect", "timeout"] as const
  const ours = Array.from({ length: 20 }, (_, channel) => attempt(`c${channel}`, faults[channel % 3] ?? null))
  expect(ours.indexOf(true)).toBe(17)
  expect(states).toEqual([false])
  expect(attempt("c0", null)).toBe(false)
  expect(attempt("c1", null)).toBe(false)
  expect(attempt("c2", "dns")).toBe(true)
  expect(attempt("c3", null)).toBe(false)
  expect(attempt("c4", "dns")).toBe(false)
  expect(states).toEqual([false, true])
})

test("a few channels that cannot be reached, and any number that fail otherwise, are at fault themselves", () => {
  const { states, attempt } = startWatch()
  for (let channel = 0; channel < 4; channel++) attempt(`c${channel}`, null)
  for (let round = 0; round < 10; round++)
    for (let channel = 0; channel < 4; channel++) expect(attempt(`c${channel}`, "dns")).toBe(false)
  const other = startWatch()
  for (let channel = 0; channel < 100; channel++) {
    expect(other.attempt(`c${channel}`, null)).toBe(false)
    expect(other.attempt(`c${channel}`, "status")).toBe(false)
    expect(other.attempt(`c${channel}`, "timeout", 5)).toBe(false)
  }
  expect([...states, ...other.states]).toEqual([])
})

test("channels that have been unreachable for longer say nothing about the network, also if no others are attempted at night", () => {
  const { clock, states, attempt } = startWatch()
  // Some were never reached, and others until an hour ago.
  for (let channel = 0; channel < 20; channel++) if (channel % 2) attempt(`c${channel}`, null)
  for (let channel = 0; channel < 30; channel++) attempt(`well${channel}`, null)
  for (let minute = 0; minute < 600; minute++) {
    clock.now += 60_000
    for (let channel = 0; channel < 20; channel++) expect(attempt(`c${channel}`, "connect")).toBe(false)
    if (minute < 60) for (let channel = 0; channel < 30; channel++) attempt(`well${channel}`, null)
  }
  expect(states).toEqual([])
})

test("channels that were not attempted for two minutes say nothing, and an outage of hours stays one", () => {
  const { clock, network, attempt } = startWatch()
  for (let channel = 0; channel < 100; channel++) attempt(`c${channel}`, null)
  clock.now = 121_000
  for (let minute = 0; minute < 600; minute++) {
    clock.now += 60_000
    for (let channel = 0; channel < 5; channel++) attempt(`c${channel}`, "connect")
    expect(network.isDown()).toBe(true)
  }
  // A channel with an event now and then notices it, too.
  expect(attempt("c99", "dns")).toBe(true)
})
