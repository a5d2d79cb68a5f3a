import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { createApiKey } from "@sitewire/console"
import { openPrisma } from "@sitewire/database/prisma"
import { listen } from "@sitewire/runtime"
import { startOwnBackingServices } from "@sitewire/testkit/backing"
import {
  type ServiceName,
  type SupervisedProcess,
  services as serviceFiles,
  startInstallation,
} from "@sitewire/testkit/installation"

const stateFolder = fileURLToPath(new URL("../../../../../.sitewire", import.meta.url))
const channels = 20
const connections = 20

/** Short enough that retries end, and windows pass, within seconds. */
const shortTimes = {
  RETRY_PERIOD: "10s",
  BREAKER_COOLDOWN: "500ms",
  OVERDUE_AFTER: "2s",
  SYNC_WINDOW: "1s",
  SYNC_SETTLE: "100ms",
  SYNC_DEADLINE: "900ms",
}

export type System = Awaited<ReturnType<typeof startSystem>>

/** An installation with its own Postgres, two Kafka brokers and all services, under a small constant load. */
export async function startSystem({ progress }: { progress: (line: string) => void }) {
  const backing = await startOwnBackingServices({
    ...{ parent: stateFolder, name: "rehearsal", jars: join(stateFolder, "jars") },
    ...{ withoutDocker: true, brokerCount: 2, progress },
  })
  const { databaseUrl, brokers, directory } = backing
  // One copy of each topic, so that partitions have no leader while the second broker is stopped.
  const it = await startInstallation({
    backing: { databaseUrl, brokers, topicPrefix: "", replication: 1, stop: () => backing.stop() },
    retryDelaysMs: [1_000, 2_000],
    env: shortTimes,
    logsFolder: directory,
  })
  const faulty = { sealingKeys: false }
  const service = (
    name: string,
    of: ServiceName,
    env: () => Record<string, string> = () => ({}),
  ): SupervisedProcess =>
    it.superviseFile({
      ...{ name, main: serviceFiles[of].main, ports: serviceFiles[of].ports },
      env: () => ({ ...it.variables(of), ...env() }),
      ...{ restartAfterMs: 500, retryAfterMs: 500 },
      onEvent(event) {
        if (event.kind === "failed to start") progress(`${name} did not start: ${event.error}`)
      },
    })
  const services = {
    gateway: service("trigger-gateway", "gateway"),
    scheduler: service("sync-scheduler", "scheduler"),
    dispatcher: service("webhook-dispatcher", "dispatcher"),
    console: service("console", "console"),
    secondDispatcher: service("webhook-dispatcher-2", "dispatcher", () =>
      faulty.sealingKeys ? { SEALING_KEYS: `k1:${Buffer.alloc(32).toString("base64")}` } : {},
    ),
  }
  await Promise.all(Object.values(services).map((process) => process.start()))
  const { key } = await createApiKey({ prisma: openPrisma(it.pool), name: "rehearsal", scopes: ["read"] })

  /** Partners and sources. */
  const outside = { accepts: true }
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(outside.accepts ? 200 : 503).end("{}"))
  })
  const partner = `http://127.0.0.1:${await listen(server, "127.0.0.1", 0, "the partner's port")}`
  const channelIds = Array.from({ length: channels }, (_, at) => `channel-${at}`)
  for (const id of channelIds)
    await it.addChannel({ id, address: `${partner}/${id}`, secret: "secret of the rehearsal" })
  const connectionIds = Array.from({ length: connections }, (_, at) => `connection-${at}`)
  const tokens = await it.addConnections(
    connectionIds.map((id) => ({ id, source: `${partner}/source/${id}` })),
  )

  const closing = new AbortController()
  let sent = 0
  const publish = (value: object) => {
    sent += 1
    const id = `event-${sent}-${process.pid}`
    return it.publish([{ topic: it.names.sitePaid, key: id, value: JSON.stringify({ id, ...value }) }])
  }
  const paid = (channel: string) => ({
    channel,
    reference: "customer",
    site_url: "https://shop.example",
    console_url: "https://console.shop.example",
    name: "Shop",
    email: "owner@shop.example",
    created_at: new Date().toISOString(),
  })

  /** Errors are what the faults cause. */
  async function repeat(everyMs: number, work: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 0; !closing.signal.aborted; turn += 1) {
      await Promise.race([Promise.allSettled([work(turn)]), sleep(2_000)])
      await sleep(everyMs)
    }
  }
  const request = async (url: string | undefined, options: RequestInit) => {
    if (url === undefined) return
    const response = await fetch(url, { ...options, signal: AbortSignal.timeout(5_000) })
    await response.arrayBuffer()
  }
  const load = [
    repeat(50, (turn) => publish(paid(channelIds[turn % channels] ?? ""))),
    repeat(50, (turn) => {
      const at = turn % connections
      const gateway = services.gateway.addresses().gateway
      return request(gateway && `${gateway}/connectors/hook/${connectionIds[at]}/${tokens[at]}/`, {
        method: "POST",
      })
    }),
    repeat(200, () => {
      const console = services.console.addresses().console
      return request(console && `${console}/v1/channels`, { headers: { authorization: `Bearer ${key}` } })
    }),
  ]

  /** Writers of windows wait until the returned function is called. Readers do not. */
  async function lockWindows(): Promise<() => Promise<void>> {
    const client = await it.pool.driver.connect()
    await client.query("begin")
    await client.query("lock table sync_window in exclusive mode")
    return async () => {
      await client.query("rollback")
      client.release()
    }
  }

  async function setReadOnly(readOnly: boolean): Promise<void> {
    await it.sql(`alter system set default_transaction_read_only = ${readOnly ? "on" : "off"}`)
    await it.sql("select pg_reload_conf()")
  }

  return {
    directory,
    targets: () =>
      Object.fromEntries(Object.values(services).map(({ name, addresses }) => [name, addresses().ops ?? ""])),
    services,
    outside,
    /** What the second dispatcher is started with. */
    faulty,
    sql: it.sql,
    postgres: backing.postgres,
    secondBroker: backing.kafka[1],
    publishInvalid: () => publish({ channel: "channel-0" }),
    lockWindows,
    setReadOnly,
    async stop() {
      closing.abort()
      await Promise.allSettled(load)
      await it.stop()
      server.close()
      server.closeAllConnections()
    },
  }
}
