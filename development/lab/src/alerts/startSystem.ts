import { setTimeout as sleep } from "node:timers/promises"
import { createApiKey } from "@sitewire/console"
import { openPrisma } from "@sitewire/database/prisma"
import { startMixed } from "../chaos/mixed/startMixed.ts"
import { startLab } from "../shared/startLab.ts"

/** Short enough that retries end, and windows pass, within seconds. */
const shortTimes = {
  RETRY_PERIOD: "10s",
  BREAKER_COOLDOWN: "500ms",
  DELIVERY_TIMEOUT: "2s",
  SYNC_WINDOW: "1s",
  SYNC_SETTLE: "100ms",
  SYNC_DEADLINE: "900ms",
}

export type System = Awaited<ReturnType<typeof startSystem>>

/** An installation with its own Postgres, two Kafka brokers and all services, under a small constant load. */
export async function startSystem({ progress }: { progress: (line: string) => void }) {
  const it = await startLab({
    name: "alerts",
    progress,
    withoutDocker: true,
    fixedPorts: true,
    brokerCount: 2,
    // One copy of each topic, so that partitions have no leader while the second broker is stopped.
    replication: 1,
    retryDelaysMs: [1_000, 2_000],
    env: shortTimes,
  })
  /** What the second dispatcher is started with. */
  const faulty: { sealingKeys: string | undefined } = { sealingKeys: undefined }
  const services = {
    gateway: it.service("trigger-gateway", "gateway"),
    scheduler: it.service("sync-scheduler", "scheduler"),
    dispatcher: it.service("webhook-dispatcher", "dispatcher"),
    console: it.service("console", "console"),
    secondDispatcher: it.service("webhook-dispatcher-2", "dispatcher", () =>
      faulty.sealingKeys === undefined ? {} : { SEALING_KEYS: faulty.sealingKeys },
    ),
  }
  await Promise.all(Object.values(services).map((process) => process.start()))
  const partners = await startMixed({
    it,
    seed: 1,
    progress,
    gateways: () => [services.gateway],
    rates: { events: 16, calls: 16 },
    connections: 20,
    singles: 0,
    flakyChannels: 0,
  })

  const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "alerts", scopes: ["read"] })
  const headers = { authorization: `Bearer ${key}` }
  const closing = new AbortController()
  async function callConsole(): Promise<void> {
    for (; !closing.signal.aborted; await sleep(200)) {
      const { console: origin } = services.console.addresses()
      // Errors are what the faults cause.
      const signal = AbortSignal.timeout(2_000)
      await fetch(`${origin}/v1/channels`, { headers, signal }).catch(() => {})
    }
  }
  const calling = callConsole()
  return {
    ...it,
    services,
    partners,
    faulty,
    targets: () =>
      Object.fromEntries(Object.values(services).map(({ name, addresses }) => [name, addresses().ops ?? ""])),
    async end() {
      closing.abort()
      await Promise.allSettled([calling, partners.stop()])
      await it.close()
    },
  }
}
