import { createHash } from "node:crypto"
import { type SitePaid, siteReadyBody } from "@sitewire/contracts"
import { erasableAddress } from "../../shared/paidEvent.ts"
import { createRandom, type Random } from "../../shared/random.ts"
import { commonFaults } from "../faults/commonFaults.ts"
import { driveFaults, type Fault } from "../faults/driveFaults.ts"
import { addChannels, publishEvents, startPartners } from "../load/load.ts"
import { readRequests } from "../load/seen.ts"
import { endWhenQuiet, type RunSettings, runOnLab, startAll } from "../run.ts"
import type { PublishedEvent } from "./evidence.ts"
import { addKillPoints } from "./killBefore.ts"
import { cancelErasure, consoleCaller, pauseChannels, resendDeliveries } from "./operate.ts"
import { outboundFaults, type RetrySchedule, retryTopics, schedules } from "./outboundFaults.ts"
import { isQuiet, readEvidence, recordDeferrals } from "./readEvidence.ts"
import { type OutboundLedger, reconcile } from "./reconcile.ts"

const members = 3
/**
 * How many records a dispatcher may have outstanding (read, but not finished). Small, because the number of
 * duplicates that faults may cause is proportional to it.
 */
const maxOutstanding = 32
const dispatcherVariables = {
  PUBLISH_OUTCOMES: "true",
  // Short, because a dispatcher that stops waits for its attempts at hanging partners.
  DELIVERY_TIMEOUT: "3s",
  MAX_OUTSTANDING_RECORDS: String(maxOutstanding),
  CHANNEL_MAX_CONCURRENCY: "2",
  BREAKER_FAILURES: "4",
  BREAKER_COOLDOWN: "2s",
  NODE_OPTIONS: `--import ${new URL("../faults/shiftableClock.ts", import.meta.url)}`,
}

const channels = 200
function behaviourOf(channel: number): string {
  if (channel < 6) return "hanging"
  if (channel < 12) return "recovering"
  return channel < 36 ? "flaky" : "healthy"
}
/** One of so many events is published twice. */
const twiceEach = 20
const isTwice = ({ id }: Pick<SitePaid, "id">) => Number(id.slice("event-".length)) % twiceEach === 0
/** The recovering channels get a fifth of all events, enough to open their circuit breakers while they fail. */
const pickChannel = (random: Random) =>
  `channel-${random.next() < 0.2 ? random.between(6, 11) : random.between(0, channels - 1)}`

/** Publishes `deliveries` events while faults affect three dispatchers, the console, the broker and the database. */
export function runOutbound(
  settings: RunSettings & { deliveries: number },
): Promise<{ ledger: OutboundLedger; faults: Fault[] }> {
  const { seed, durationMs, deliveries, progress } = settings
  const schedule: RetrySchedule = { delaysMs: schedules[0] ?? [] }
  return runOnLab({ ...settings, retryDelaysMs: schedule.delaysMs }, async ({ it, random, faults }) => {
    const { addresses } = await startPartners(it, seed, { record: true })
    const partners = addresses.healthy ?? ""
    await addChannels(it, addresses, channels, behaviourOf)
    await recordDeferrals(it)
    await addKillPoints(it)
    /** Each start uses the delays that `schedule` has then. */
    const dispatcher = (name: string) =>
      it.service(name, "dispatcher", () => ({
        RETRY_DELAYS: schedule.delaysMs.map((delay) => `${delay}ms`).join(","),
        ...dispatcherVariables,
      }))
    const dispatchers = Array.from({ length: members }, (_, at) => dispatcher(`dispatcher-${at + 1}`))
    const management = it.service("console", "console")
    const all = [...dispatchers, management]
    await startAll(all)
    progress(`${members} dispatchers are up; publishing ${deliveries} events while faults happen`)

    const published: PublishedEvent[] = []
    let over = false
    const call = await consoleCaller(it, management)
    const operating = (offset: number) => ({
      call,
      isOver: () => over,
      random: createRandom(seed + offset),
      pickChannel,
      sql: it.sql,
    })
    const load = Promise.all([
      pauseChannels(operating(2)),
      resendDeliveries(operating(3)),
      publishEvents({
        it,
        perSecond: deliveries / (durationMs / 1_000),
        atMost: deliveries,
        isOver: () => false,
        topic: () => it.names.sitePaid,
        pickChannel: pickChannel.bind(undefined, createRandom(seed + 1)),
        isTwice,
        onPublished(events) {
          for (const event of events) {
            const sha256 = createHash("sha256").update(siteReadyBody(event)).digest("hex")
            const { id, channel } = event
            const erasable = erasableAddress(id) !== null
            published.push({ event: id, channel, sha256, twice: isTwice(event), erasable })
          }
        },
      }),
    ])
    const extras = [dispatcher("dispatcher-extra")]
    const common = commonFaults({ random, it, services: [dispatchers], extras, ...settings.pace })
    const eraseNext = () => {
      const next = published.length - (published.length % 4) + 2
      return cancelErasure({ call, random }, erasableAddress(`event-${next}`) ?? "")
    }
    const own = outboundFaults({ random, it, dispatchers, management, schedule, cancelErasure: eraseNext })
    const { gapMs } = settings.pace
    faults.push(...(await driveFaults({ ...settings, random, gapMs, faults: { ...common, ...own } })))
    over = true
    const [paused, accepted] = await load
    progress(
      `${published.length} events are published, ${paused} channels were paused, ${accepted.length} resends accepted; ` +
        "all faults have ended; waiting for quiet",
    )
    await fetch(`${partners}/heal`, { method: "POST" })
    await startAll(all)
    const retry = retryTopics(schedule)
    await endWhenQuiet(all, () => isQuiet(it, published.length, retry), settings)
    return reconcile({
      published,
      accepted,
      faults,
      members,
      // New events, retries, and claimed deferred deliveries each have their own limit.
      outstanding: 3 * maxOutstanding,
      requests: await readRequests(partners),
      ...(await readEvidence(it, retry)),
    })
  })
}
