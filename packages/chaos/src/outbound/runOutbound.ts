import { setTimeout as sleep } from "node:timers/promises"
import { createApiKey } from "@sitewire/console"
import { openPrisma } from "@sitewire/database/prisma"
import { waitUntil } from "@sitewire/testkit"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { createRandom } from "../random.ts"
import { reportProgress } from "../report/reportProgress.ts"
import type { RunSettings } from "../settings.ts"
import { type Installation, startInstallation } from "../startChaosInstallation.ts"
import { consoleCaller } from "./load/callConsole.ts"
import { addChannels, channelSecret } from "./channels.ts"
import { makeDispatcher, outstandingPerDispatcher } from "./dispatchers.ts"
import type { Evidence, PublishedEvent } from "./evidence/evidence.ts"
import { noteDeferrals, readDeferrals } from "./evidence/recordDeferrals.ts"
import { outboundFaults, type RetrySchedule, retryTopics, schedules } from "./outboundFaults.ts"
import { pauseChannels } from "./load/pauseChannels.ts"
import { publishEvents } from "./load/publishEvents.ts"
import {
  isOutboundQuiet,
  readAttempts,
  readDeliveries,
  readRequests,
  readUncommitted,
} from "./evidence/readOutbound.ts"
import { type OutboundLedger, reconcile } from "./reconcile/reconcile.ts"
import { resendDeliveries } from "./load/resendDeliveries.ts"

const members = 3

/**
 * Events are published, channels paused and deliveries sent again all the time, while faults happen to three dispatchers, the
 * console, the broker, the database and the retry topics.
 */
export async function runOutbound(
  settings: RunSettings & { deliveries: number },
): Promise<{ ledger: OutboundLedger; faults: Fault[] }> {
  const { seed, brokers, durationMs, deliveries, progress } = settings
  const random = createRandom(seed)
  const faults: Fault[] = []
  const onExit = (name: string, code: number | null) => {
    faults.push({ kind: "exit", target: name, beganAt: Date.now(), endedAt: Date.now() })
    progress(`          ${name} exited by itself with ${code}; it is started again`)
  }
  const schedule: RetrySchedule = { delaysMs: schedules[0] ?? [] }
  const it = await startInstallation({ retryDelaysMs: schedule.delaysMs, brokers, progress, onExit })
  let ledger: OutboundLedger | undefined
  try {
    const receiver = await it.helper("packages/chaos/src/outbound/load/partners.ts", {
      CHAOS_SECRET: channelSecret,
      CHAOS_SEED: String(seed),
    })
    const url = receiver.addresses.healthy ?? ""
    await addChannels(it, receiver.addresses)
    await noteDeferrals(it.sql)
    const make = (name: string) => makeDispatcher(it, name, schedule)
    const dispatchers = Array.from({ length: members }, (_, at) => make(`dispatcher-${at + 1}`))
    const management = it.member("console", "packages/console/src/main.ts", () => consoleEnv(it))
    const all = [...dispatchers, management]
    await Promise.all(all.map((member) => member.start()))
    progress(`${members} dispatchers are up; publishing ${deliveries} events while faults happen`)

    const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "chaos" })
    const call = consoleCaller(management, key)
    const published: PublishedEvent[] = []
    const endsAt = Date.now() + durationMs
    const isOver = () => Date.now() > endsAt
    const stopReporting = reportProgress({ it, published, progress })
    const publishing = publishEvents({
      ...{ it, published, random: createRandom(seed + 1), perSecond: deliveries / (durationMs / 1_000) },
      ...{ atMost: deliveries, isOver: () => false },
    })
    const pausing = pauseChannels({
      ...{ call, isOver, random: createRandom(seed + 2), everyMs: [500, 2_000], pausedMs: [1_000, 8_000] },
    })
    const resending = resendDeliveries({
      ...{ call, isOver, sql: it.sql, random: createRandom(seed + 3), everyMs: [500, 3_000] },
    })
    const driven = await driveFaults({
      ...{ random, durationMs, progress, gapMs: settings.pace.gapMs },
      faults: {
        ...commonFaults({
          ...{ random, it, services: [dispatchers], extras: [make("dispatcher-extra")] },
          ...settings.pace,
        }),
        ...outboundFaults({ random, it, dispatchers, management, schedule }),
      },
    })
    faults.push(...driven)
    await publishing
    const [paused, accepted] = await Promise.all([pausing, resending])
    progress(
      `${published.length} events are published, ${paused} channels were paused, ${accepted.length} resends accepted; ` +
        "all is healed, waiting for quiet",
    )
    await fetch(`${url}/heal`, { method: "POST" })
    await Promise.all(all.map((member) => member.start()))

    const consumed = retryTopics(schedule)
    const isQuiet = async () => {
      // Asking is not for free on a machine that works off what waited.
      await sleep(500)
      const jobs = await readResendJobs(it)
      return (
        jobs.every(({ state }) => state === "done") && (await isOutboundQuiet(it, published.length, consumed))
      )
    }
    await waitUntil("quiet", isQuiet, settings.quietMs).catch((error: Error) => progress(error.message))
    stopReporting()
    const codes = await Promise.all(all.map((member) => member.end()))
    if (codes.some((code) => code !== 0)) progress(`members ended with ${codes.join(", ")}`)

    ledger = reconcile({
      ...{ published, accepted, faults, members, outstanding: outstandingPerDispatcher },
      deliveries: await readDeliveries(it),
      attempts: await readAttempts(it),
      deferrals: await readDeferrals(it.sql),
      jobs: await readResendJobs(it),
      requests: await readRequests(url),
      carried: await readUncommitted(it, consumed),
    })
    return { ledger, faults }
  } finally {
    await it.stop({ keepLogs: !ledger?.holds })
  }
}

function consoleEnv({ sealingKeys }: Installation): Record<string, string> {
  return { SEALING_KEYS: sealingKeys, CONSOLE_PORT: "0", ALLOW_HTTP: "true", ALLOWED_RANGES: "127.0.0.0/8" }
}

function readResendJobs({ sql }: Installation): Promise<Evidence["jobs"]> {
  return sql<Evidence["jobs"][number]>(
    `select id as job, state::text, coalesce((counts ->> 'resent')::int, 0) as resent from job
      where kind = 'resend' and filter ->> 'delivery' is null`,
  )
}
