import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import {
  makeCertificate,
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
const HEALTHY_PER_ROUND = 10
const RETRIES_NEVER = [600_000]
const hangs: ReceiverFaultName[] = ["never-accepts", "never-responds", "slow-2xx"]

type AttemptRow = {
  channel: string
  error: string | null
  detail: string | null
  status: number | null
  ms: number
  excerpt: number
}

test("every faulty receiver is recorded with its fault, in time, and stops the deliveries of no other receiver", async () => {
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
  const start = (more: Record<string, string>) =>
    it.process({
      CHANNEL_MAX_CONCURRENCY: String(CHANNEL_MAX_CONCURRENCY),
      CHANNEL_MAX_WAIT: "1s",
      // So that the certificates fail because of their date or name, and not because of their issuer.
      NODE_EXTRA_CA_CERTS: file,
      ...more,
    })
  await it.publishPaid([paid("trusted-0", { channel: "trusted" })])

  // `slow-2xx` does not hang with this time limit.
  const first = await start({ DELIVERY_TIMEOUT: "10m", SHUTDOWN_DEADLINE: "1s" })
  {
    await using memory = watchMemory(first.addresses.ops ?? "")
    const hanging = partners.find(({ name }) => name === "never-responds")?.partner
    const healthyChannels = Array<string>(HEALTHY_PER_ROUND).fill("healthy")
    const channels = [...receiverFaultNames.filter((name) => name !== "slow-2xx"), ...healthyChannels]
    for (let round = 0; round < PER_PARTNER; round++) {
      if (round === CHANNEL_MAX_CONCURRENCY)
        await waitUntil("the maximum concurrency of a hanging receiver", () => hanging?.open() === round)
      await it.publishPaid(channels.map((channel, at) => paid(`${channel}-${round}-${at}`, { channel })))
    }
    // One that waited for hanging deliveries would not arrive. `npm run bench` measures the delay itself.
    await waitUntil(
      "all healthy deliveries",
      () => healthy.received.length === PER_PARTNER * HEALTHY_PER_ROUND,
    )
    expect(hanging?.open()).toBe(CHANNEL_MAX_CONCURRENCY)
    // Decompressing one bomb, or storing one large body per delivery, would take far more.
    expect(memory.peakBytes()).toBeLessThan(300_000_000)
  }
  await first.end()

  // What hung is sent again.
  await start({ DELIVERY_TIMEOUT: `${TIMEOUT_MS}ms` })
  await it.publishPaid(
    Array.from({ length: PER_PARTNER }, (_, at) => paid(`slow-2xx-${at}`, { channel: "slow-2xx" })),
  )
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
  for (const name of hangs)
    expect(recorded(name).length, name).toBeLessThanOrEqual(2 * CHANNEL_MAX_CONCURRENCY)

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
