import { createHash, randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { type SitePaid, siteReadyBody } from "@sitewire/contracts"
import { readSealingKeys, seal, sealContexts } from "@sitewire/database"
import { groupLag } from "@sitewire/kafka"
import { waitUntil } from "@sitewire/testkit"
import { driveFaults, type Fault } from "../driveFaults.ts"
import { patiently } from "../patiently.ts"
import { createRandom } from "../random.ts"
import type { RunSettings } from "../settings.ts"
import { type Installation, startInstallation } from "../startInstallation.ts"
import { type OutboundLedger, type PublishedEvent, reconcile, type SeenRequest } from "./reconcile.ts"

const secret = "a secret of the chaos run"
const retryDelaysMs = [1_000, 3_000, 9_000]
const channels = 200
const members = 3
/** Small, so that the bound on duplicates says something; the promise is the same for any number. */
const maxInHand = 32

const dispatcher = {
  main: "services/webhook-dispatcher/src/main.ts",
  env: {
    RETRY_DELAYS: retryDelaysMs.map((delay) => `${delay}ms`).join(","),
    RETRY_PERIOD: "1h",
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: "127.0.0.0/8",
    MAX_IN_HAND: String(maxInHand),
    CHANNEL_MAX_IN_FLIGHT: "2",
    BREAKER_FAILURES: "4",
    BREAKER_COOLDOWN: "2s",
  },
}

/** Of 200 channels 170 are healthy, 24 fail at random, and 6 hang until all is healed. */
function behaviourOf(channel: number): "healthy" | "flaky" | "hanging" {
  if (channel < 6) return "hanging"
  return channel < 30 ? "flaky" : "healthy"
}

/** Events are published all the time while faults happen to three dispatchers, the broker and the database. */
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
  const it = await startInstallation({ retryDelaysMs, brokers, progress, onExit })
  let ledger: OutboundLedger | undefined
  try {
    const receiver = await it.helper("packages/chaos/src/outbound/receiver.ts", {
      CHAOS_SECRET: secret,
      CHAOS_SEED: String(seed),
    })
    const url = receiver.addresses.healthy ?? ""
    await addChannels(it, receiver.addresses)
    const env = { ...dispatcher.env, SEALING_KEYS: it.sealingKeys }
    const make = (name: string) => it.member(name, dispatcher.main, env)
    const dispatchers = Array.from({ length: members }, (_, at) => make(`dispatcher-${at + 1}`))
    await Promise.all(dispatchers.map((member) => member.start()))
    progress(`${members} dispatchers are up; publishing ${deliveries} events while faults happen`)

    const publishing = publishEvents({ it, deliveries, durationMs, random: createRandom(seed + 1) })
    const driven = await driveFaults({
      ...{ random, it, members: dispatchers, extras: [make("dispatcher-extra")], durationMs, progress },
      ...settings.pace,
    })
    faults.push(...driven)
    const published = await publishing
    progress(`${published.length} events are published; all is healed, waiting for quiet`)
    await fetch(`${url}/heal`, { method: "POST" })
    await Promise.all(dispatchers.map((member) => member.start()))

    const groups = [
      { group: "webhook-dispatcher.due", topics: it.names.retry },
      { group: "webhook-dispatcher.paid", topics: [it.names.sitePaid] },
    ]
    const uncommittedOf = async () => {
      const lags = await Promise.all(
        groups.map(({ group, topics }) => groupLag(it.kafkaConnection, group, topics)),
      )
      return lags.flat().reduce((sum, { lag }) => sum + lag, 0)
    }
    const isQuiet = async () => {
      // Asking is not for free on a machine that works off what waited.
      await sleep(500)
      const [row] = await it.sql<{ stored: number; pending: number }>(
        "select count(*)::int as stored, count(*) filter (where state <> 'delivered')::int as pending from delivery",
      )
      return row?.pending === 0 && row.stored >= published.length && (await uncommittedOf()) === 0
    }
    await waitUntil("quiet", isQuiet, settings.quietMs).catch((error: Error) => progress(error.message))
    const codes = await Promise.all(dispatchers.map((member) => member.end()))
    if (codes.some((code) => code !== 0)) progress(`dispatchers ended with ${codes.join(", ")}`)

    const text = await fetch(`${url}/requests`).then((answer) => answer.text())
    const requests = text.split("\n").filter(Boolean)
    ledger = reconcile({
      published,
      ...(await readRows(it)),
      requests: requests.map((line) => JSON.parse(line) as SeenRequest),
      uncommitted: await uncommittedOf(),
      faults,
      members,
      inHand: 2 * maxInHand,
    })
    return { ledger, faults }
  } finally {
    await it.stop({ keepLogs: !ledger?.holds })
  }
}

async function addChannels(
  { sql, sealingKeys }: Installation,
  origins: Record<string, string>,
): Promise<void> {
  const keys = readSealingKeys(sealingKeys)
  for (let at = 0; at < channels; at++) {
    const id = `channel-${at}`
    const kind = behaviourOf(at)
    const sealed = seal(keys, sealContexts.signingSecret(id, `sec_${id}`), secret)
    await sql(
      "insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())",
      [id, `${origins[kind]}/${kind}/${id}`, `sec_${id}`, sealed],
    )
  }
}

/** Ten times a second what is due by now; each batch again until it is acknowledged, as a careful publisher does. */
async function publishEvents(settings: {
  it: Installation
  deliveries: number
  durationMs: number
  random: ReturnType<typeof createRandom>
}): Promise<PublishedEvent[]> {
  const { it, deliveries, durationMs, random } = settings
  const published: PublishedEvent[] = []
  const startedAt = Date.now()
  while (published.length < deliveries) {
    const share = Math.min(1, (Date.now() - startedAt) / durationMs)
    const due = Math.min(200, Math.ceil(deliveries * share) - published.length)
    const batch = Array.from({ length: due }, () => makeEvent(random.between(0, channels - 1)))
    const records = batch.map((paid) => ({
      topic: it.names.sitePaid,
      key: paid.id,
      value: JSON.stringify(paid),
    }))
    if (due > 0) await patiently(() => it.producer.publish(records))
    published.push(
      ...batch.map((paid) => ({
        event: paid.id,
        channel: paid.channel,
        sha256: createHash("sha256").update(siteReadyBody(paid)).digest("hex"),
      })),
    )
    await sleep(100)
  }
  return published
}

function makeEvent(channel: number): SitePaid {
  const id = randomUUID()
  return {
    id,
    channel: `channel-${channel}`,
    reference: id,
    site_url: `https://${id}.sites.example`,
    console_url: `https://console.sites.example/${id}`,
    name: "A shop in the storm",
    email: "owner@customer.example",
    created_at: "2030-01-02T03:04:05+00:00",
  }
}

async function readRows({ sql }: Installation) {
  const deliveries = await sql<{
    delivery: string
    event: string
    state: string
    attempts: number
    sha256: string
  }>(
    "select id as delivery, event_id as event, state::text, attempts, encode(body_sha256, 'hex') as sha256 from delivery",
  )
  const attempts = await sql<{ delivery: string; number: number; at: number; delivered: boolean }>(
    `select delivery_id as delivery, number, (extract(epoch from started_at) * 1000)::float8 as at,
       error is null as delivered
     from attempt`,
  )
  return { deliveries, attempts }
}
