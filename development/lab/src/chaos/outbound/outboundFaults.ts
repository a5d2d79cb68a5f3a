import { setTimeout as sleep } from "node:timers/promises"
import { topicNames } from "@sitewire/contracts"
import { deleteTopics } from "@sitewire/kafka"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { Random } from "../../shared/random.ts"
import type { FaultKind, FaultWork } from "../faults/driveFaults.ts"
import { type ChaosLab, retryForTwoMinutes } from "../run.ts"
import { type KillPoint, killBefore } from "./killBefore.ts"
import { makeAndDropDays } from "./makeAndDropDays.ts"

export type RetrySchedule = { delaysMs: readonly number[] }

/**
 * The lists of retry delays. A run begins with the first list, and a fault changes to another one. Each delay
 * has its own retry topic, so after a change some topics have no consumer.
 */
export const schedules: readonly (readonly number[])[] = [
  [1_000, 3_000, 9_000],
  [2_000, 6_000],
  [500, 3_000, 7_000, 9_000],
]

export const retryTopics = ({ delaysMs }: RetrySchedule) =>
  topicNames({ prefix: "", retryDelaysMs: delaysMs }).retry

/** Dispatchers start with the delays in `schedule`. */
export function outboundFaults(settings: {
  random: Random
  it: Pick<ChaosLab, "kafka" | "migrate" | "pool" | "sql">
  dispatchers: SupervisedProcess[]
  management: SupervisedProcess
  schedule: RetrySchedule
  /** Erases and cancels. Returns how that ended. */
  cancelErasure: () => Promise<string>
}): Partial<Record<FaultKind, FaultWork>> {
  const { random, it, dispatchers, management, schedule, cancelErasure } = settings
  const killing = (point: KillPoint) => async () =>
    `all dispatchers, ${await killBefore(it, dispatchers, point)} of whose statements waited`
  return {
    "kill -9 between a POST and its row": killing("row"),
    "kill -9 between a row and its commit": killing("commit"),
    "kill -9 before a wait is written": killing("retry"),
    "erasure cancelled": cancelErasure,
    async "clock set over midnight"() {
      const dispatcher = random.pick(dispatchers)
      for (const setting of ["back", "ahead", "right"]) {
        const pid = dispatcher.pid()
        if (pid === undefined)
          return `${dispatcher.name}, which had ended before its clock was set ${setting}`
        process.kill(pid, "SIGUSR2")
        if (setting !== "right") await sleep(random.between(1_000, 2_000))
      }
      return dispatcher.name
    },
    "days made and dropped": async () => `${await makeAndDropDays(it)} days`,
    async "console killed"() {
      await management.kill()
      await sleep(random.between(0, 2_000))
      await management.start()
      return management.name
    },
    async "retry topics recreated"() {
      const topics = retryTopics(schedule)
      const lost = random.shuffle(topics).slice(0, random.between(1, topics.length))
      await retryForTwoMinutes(() => deleteTopics(it.kafka, lost))
      await sleep(random.between(0, 2_000))
      await retryForTwoMinutes(() => it.migrate(schedule.delaysMs))
      return lost.join(", ")
    },
    /** Does what an operator does: runs the setup job with other delays, then restarts the dispatchers. */
    async "RETRY_DELAYS changed"() {
      const others = schedules.filter((delaysMs) => delaysMs !== schedule.delaysMs)
      schedule.delaysMs = random.pick(others)
      await retryForTwoMinutes(() => it.migrate(schedule.delaysMs))
      const restart = async (dispatcher: SupervisedProcess) => {
        await dispatcher.end()
        await dispatcher.start()
      }
      if (random.pick([true, false])) await Promise.all(dispatchers.map(restart))
      else for (const dispatcher of dispatchers) await restart(dispatcher)
      return schedule.delaysMs.map((delay) => `${delay} ms`).join(", ")
    },
  }
}
