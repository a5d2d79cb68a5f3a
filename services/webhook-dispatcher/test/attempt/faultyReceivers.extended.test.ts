import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import {
  makeCertificate,
  type Receiver,
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
  startFaultyReceiver,
  startReceiver,
} from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

const TIMEOUT_MS = 5_000
/** `late-2xx` responds after 85 % of this, and the noise of a busy machine must not exceed the rest of TIMEOUT_MS. */
const LATE_LIMIT_MS = 1_500
/** More than a channel's limit, so that some are deferred if the partner hangs. */
const PER_PARTNER = 12
const CHANNEL_MAX_CONCURRENCY = 4
const RETRIES_NEVER = [600_000]

type AttemptRow = {
  channel: string
  error: string | null
  detail: string | null
  status: number | null
  ms: number
  excerpt: number
}

test("every faulty receiver is recorded with its fault, in time, and delays no other receiver", async () => {
  await using it = await startInstallation({ retryDelaysMs: RETRIES_NEVER })
  const { issuer, file } = await issuerInFile()
  const healthy = await startReceiver()
  onTestFinished(healthy.close)
  const trusted = await startFaultyReceiver("no-content", {
    certificate: makeCertificate("IP:127.0.0.1", 2, issuer),
  })
  onTestFinished(trusted.close)
  await it.channel("healthy", healthy.url)
  await it.channel("trusted", trusted.url)
  const partners = await Promise.all(
    receiverFaultNames.map(async (name) => ({
      name,
      partner: await startFaultyReceiver(name, {
        timeoutMs: name === "late-2xx" ? LATE_LIMIT_MS : TIMEOUT_MS,
        issuer,
      }),
    })),
  )
  for (const { name, partner } of partners) {
    onTestFinished(partner.close)
    await it.channel(name, partner.url)
  }
  const dispatcher = await it.process({
    DELIVERY_TIMEOUT: `${TIMEOUT_MS}ms`,
    CHANNEL_MAX_CONCURRENCY: String(CHANNEL_MAX_CONCURRENCY),
    // Long enough for a stalled machine: a deferred delivery to the healthy receiver would be late.
    CHANNEL_MAX_WAIT: "1s",
    // So that the certificates fail because of their date or name, and not because of their issuer.
    NODE_EXTRA_CA_CERTS: file,
  })
  // A process's first TLS connection is slow, because it reads all trusted certificates.
  await it.publishPaid([paid("trusted-0", { channel: "trusted" })])
  await publishHealthy(it, healthy, "warm", 20)
  const alone = await publishHealthy(it, healthy, "alone", 50)
  await using memory = watchMemory(dispatcher.addresses.ops ?? "")

  const [beside] = await Promise.all([publishHealthy(it, healthy, "beside", 100), publishBad(it)])
  const attempts = await waitUntil(
    "an outcome of every partner, and the maximum concurrency of hanging ones",
    async () => {
      const rows = await readAttempts(it)
      const count = (name: string) => rows.filter(({ channel }) => channel === name).length
      const all =
        receiverFaultNames.every((name) => count(name) >= CHANNEL_MAX_CONCURRENCY) && count("trusted") === 1
      return all ? rows : undefined
    },
  )

  const recorded = (name: string) => attempts.filter(({ channel }) => channel === name)
  for (const name of receiverFaultNames) {
    const { error, status = null, why } = receiverFaults[name].expected
    for (const attempt of recorded(name)) {
      expect(attempt, name).toMatchObject({ error, status })
      if (why === undefined) expect(attempt.detail, name).toBeNull()
      else expect(attempt.detail, name).toContain(why)
      expect(attempt.ms, name).toBeLessThan(3 * TIMEOUT_MS)
      expect(attempt.excerpt, name).toBeLessThanOrEqual(1_024)
      if (error === "timeout") expect(attempt.ms, name).toBeGreaterThanOrEqual(TIMEOUT_MS)
    }
  }
  expect(recorded("trusted")).toMatchObject([{ error: null, status: 204 }])
  for (const name of ["never-accepts", "never-responds", "slow-2xx"] satisfies ReceiverFaultName[])
    expect(recorded(name).length, name).toBeLessThanOrEqual(2 * CHANNEL_MAX_CONCURRENCY)

  // A healthy delivery that waited for hanging ones would take half of the time limit, or more. On a busy machine, all deliveries
  // are slow. `npm run bench` measures the delay itself.
  expect(beside.median).toBeLessThan(3 * alone.median + TIMEOUT_MS / 2)
  expect(beside.longest).toBeLessThan(alone.longest + TIMEOUT_MS)
  // Decompressing one bomb, or storing one large body per delivery, would take far more.
  expect(memory.peakBytes()).toBeLessThan(300_000_000)

  // Bodies are read for at most a second. Idle connections that wait for the next delivery are no leak.
  for (const { name, partner } of partners) {
    const { error } = receiverFaults[name].expected
    const reused = error === null || error === "status" ? CHANNEL_MAX_CONCURRENCY : 0
    await waitUntil(`${name} to close its connections`, () => partner.open() <= reused)
  }
})

async function issuerInFile() {
  const folder = await mkdtemp(join(tmpdir(), "faulty-receivers-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const issuer = makeCertificate("DNS:issuer.test")
  const file = join(folder, "issuer.pem")
  await writeFile(file, issuer.cert)
  return { issuer, file }
}

/** Publishes events one by one, 20 ms apart, and returns how long they took to arrive, in milliseconds. */
async function publishHealthy(it: TestInstallation, healthy: Receiver, name: string, count: number) {
  const publishedAt = new Map<string, number>()
  const published: Promise<void>[] = []
  for (let at = 0; at < count; at++) {
    const event = paid(`${name}-${at}`, { channel: "healthy" })
    publishedAt.set(event.site_url, Date.now())
    published.push(it.publishPaid([event]))
    await sleep(20)
  }
  await Promise.all(published)
  const latencies = await waitUntil(`all healthy deliveries (${name})`, () => {
    const arrived = new Map<string, number>()
    for (const { at, body } of healthy.received) {
      const url: unknown = JSON.parse(body.toString()).site_url
      const from = typeof url === "string" ? publishedAt.get(url) : undefined
      if (typeof url === "string" && from !== undefined) arrived.set(url, at - from)
    }
    return arrived.size === count ? [...arrived.values()].toSorted((a, b) => a - b) : undefined
  })
  return { median: latencies[Math.floor(count / 2)] ?? Number.NaN, longest: latencies.at(-1) ?? Number.NaN }
}

/** One event per faulty receiver at a time, so that faults occur throughout and not in one burst. */
async function publishBad(it: TestInstallation): Promise<void> {
  for (let at = 0; at < PER_PARTNER; at++) {
    await it.publishPaid(receiverFaultNames.map((name) => paid(`${name}-${at}`, { channel: name })))
    await sleep(200)
  }
}

function readAttempts(it: TestInstallation): Promise<AttemptRow[]> {
  return it.sql<AttemptRow>(`
    select delivery.channel_id as channel, error, detail, status, duration_ms as ms,
           coalesce(length(response_excerpt), 0) as excerpt
      from attempt join delivery on delivery.id = attempt.delivery_id`)
}

/** The largest resident memory that the process itself reports, until disposed. */
function watchMemory(ops: string) {
  const ended = new AbortController()
  let peak = 0
  const watching = (async () => {
    do {
      const text = await (await fetch(`${ops}/metrics`)).text()
      peak = Math.max(peak, Number(/^process_resident_memory_bytes\S* (\S+)/m.exec(text)?.[1]))
      await sleep(50)
    } while (!ended.signal.aborted)
  })()
  return {
    peakBytes: () => peak,
    async [Symbol.asyncDispose]() {
      ended.abort()
      await watching
    },
  }
}
