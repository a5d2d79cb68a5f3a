import { mkdir } from "node:fs/promises"
import { type BackingService, processStartTime, startKafka, startPostgres } from "@sitewire/backing"
import { createClient, Failure, type LocalStack } from "@sitewire/cli"
import { createApiKey } from "@sitewire/console"
import { defaultRetryDelays, defaultRetryPeriod, parseDuration } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { type Config, createLogger } from "@sitewire/runtime"
import { prepare } from "@sitewire/setup"
import { dataFolder, jarsFolder, localFile, stateFolder } from "./folders.ts"
import { keepLocalFile } from "./state/writeLocalFile.ts"
import { demoChannel, makeDemoChannel } from "./makeDemoChannel.ts"
import { partnerClient } from "./partner/client.ts"
import { progress } from "./command/progress.ts"
import { runningStack } from "./state/readRunningInstallation.ts"
import { readSecrets, type Secrets, writeSecrets } from "./state/secrets.ts"
import { type Service, type ServiceSettings, supervise } from "./supervise.ts"
import type { localVariables } from "./variables.ts"

export type Stack = { local: LocalStack; stop(): Promise<void> }

type Stoppable = { name: string; stop(): Promise<void> }

/**
 * Brings up the whole system on this machine and writes `.sitewire/local.json` when all of it is ready. What was
 * started is stopped again where a later part fails.
 */
export async function startStack(config: Config<typeof localVariables>): Promise<Stack> {
  const running = await runningStack()
  if (running) {
    throw new Error(
      `Sitewire runs already (its console: ${running.console}). Use it, or stop it first with Ctrl-C.`,
    )
  }
  await mkdir(stateFolder, { recursive: true })
  const started: Stoppable[] = []
  const stop = () => stopAll(started)
  try {
    return { local: await startParts(config, started), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(config: Config<typeof localVariables>, started: Stoppable[]): Promise<LocalStack> {
  const secrets = await readSecrets()
  const { postgres, kafka } = await startBackings(config, started)
  const log = createLogger({ service: "setup", level: "error" })
  await prepare({
    databaseUrl: postgres.address,
    kafka: { brokers: kafka.address.split(",") },
    topicPrefix: config.TOPIC_PREFIX,
    replication: 1,
    retryDelaysMs: defaultRetryDelays.map(parseDuration),
    retryPeriodMs: parseDuration(defaultRetryPeriod),
    deadlineMs: 30_000,
    log,
  })
  progress("migrations are applied, topics are there")

  const shared = {
    DATABASE_URL: postgres.address,
    KAFKA_BROKERS: kafka.address,
    TOPIC_PREFIX: config.TOPIC_PREFIX,
    LOG_LEVEL: config.LOG_LEVEL,
    OPS_HOST: "127.0.0.1",
    OPS_PORT: "0",
  }
  // Sources and notification addresses on this machine are the very purpose here.
  const local = { ALLOW_HTTP: "true", ALLOWED_RANGES: "127.0.0.0/8,::1/128" }
  const sealing = { SEALING_KEYS: secrets.sealingKeys }
  let writeLocal = () => {}
  const run = async (settings: Omit<ServiceSettings, "onRestart">): Promise<Service> => {
    const onRestart = (line: string) => {
      progress(line)
      writeLocal()
    }
    const service = await supervise({ ...settings, onRestart })
    started.push(service)
    progress(`${service.name} is ready`)
    return service
  }
  const [gateway, scheduler, dispatcher, partner] = await settleAll([
    run({
      name: "trigger-gateway",
      main: "services/trigger-gateway/src/main.ts",
      env: {
        ...shared,
        GATEWAY_HOST: "127.0.0.1",
        GATEWAY_PORT: `${config.GATEWAY_PORT}`,
        GATEWAY_DRAIN_DELAY: "0ms",
      },
      ports: { GATEWAY_PORT: "gateway" },
    }),
    run({
      name: "sync-scheduler",
      main: "services/sync-scheduler/src/main.ts",
      env: { ...shared, ...local },
    }),
    run({
      name: "webhook-dispatcher",
      main: "services/webhook-dispatcher/src/main.ts",
      env: { ...shared, ...local, ...sealing },
    }),
    run({
      name: "demo-partner",
      main: "packages/local/src/partner/main.ts",
      env: {
        PARTNER_PORT: `${config.PARTNER_PORT}`,
        PARTNER_SECRETS: JSON.stringify(secrets.demoSecret ? { [demoChannel]: secrets.demoSecret } : {}),
        OPS_HOST: "127.0.0.1",
        OPS_PORT: "0",
      },
      ports: { PARTNER_PORT: "partner" },
    }),
  ])
  const gatewayUrl = gateway.addresses.gateway ?? ""
  const management = await run({
    name: "console",
    main: "packages/console/src/main.ts",
    env: {
      ...shared,
      ...local,
      ...sealing,
      GATEWAY_ORIGIN: gatewayUrl,
      CONSOLE_PORT: `${config.CONSOLE_PORT}`,
    },
    ports: { CONSOLE_PORT: "console" },
  })
  const services = [gateway, scheduler, dispatcher, partner, management]
  const addresses = {
    gateway: gatewayUrl,
    console: management.addresses.console ?? "",
    partner: partner.addresses.partner ?? "",
    kafka: kafka.address,
    database: postgres.address,
    topicPrefix: config.TOPIC_PREFIX,
  }
  const apiKey = await makeReady(addresses, secrets)
  const describe = (): LocalStack => ({
    ...addresses,
    apiKey,
    ops: Object.fromEntries(services.map(({ name, addresses }) => [name, addresses.ops ?? ""])),
    processes: {
      supervisor: process.pid,
      ...Object.fromEntries(services.map((service) => [service.name, service.pid()])),
      ...pidOf("postgres", postgres),
      ...pidOf("kafka", kafka),
    },
    supervisorBirth: processStartTime(process.pid) ?? "",
  })
  const kept = await keepLocalFile(localFile, { describe, progress })
  started.push({ name: "local.json", stop: kept.remove })
  writeLocal = kept.update
  return describe()
}

async function startBackings(config: Config<typeof localVariables>, started: Stoppable[]) {
  const keep = async (name: string, starting: Promise<BackingService>): Promise<BackingService> => {
    const backing = await starting
    started.push({ name, stop: () => backing.stop() })
    progress(`${name} is ready (${backing.kind === "given" ? "as given" : backing.kind})`)
    return backing
  }
  const options = { directory: dataFolder, env: process.env, durability: "kept", progress } as const
  const [postgres, kafka] = await settleAll([
    keep("Postgres", startPostgres({ ...options, port: config.POSTGRES_PORT })),
    keep("Kafka", startKafka({ ...options, port: config.KAFKA_PORT, jars: jarsFolder })),
  ])
  return { postgres, kafka }
}

/** A key that the console takes, and the channel `demo` with a secret that the demo partner knows. */
async function makeReady(
  { console: api, database, partner }: { console: string; database: string; partner: string },
  secrets: Secrets,
): Promise<string> {
  const apiKey = await usableKey(api, database, secrets.apiKey)
  const client = createClient({ api, key: apiKey })
  const demoSecret = await makeDemoChannel({ client, partner: partnerClient(partner) }, secrets.demoSecret)
  await writeSecrets({ ...secrets, apiKey, demoSecret })
  return apiKey
}

async function usableKey(api: string, database: string, kept: string | undefined): Promise<string> {
  if (kept !== undefined) {
    const usable = await createClient({ api, key: kept })
      .listChannels({ limit: 1 })
      .then(
        () => true,
        (error) => {
          if (error instanceof Failure && error.problem?.status === 401) return false
          throw error
        },
      )
    if (usable) return kept
  }
  const pool = openPool({ url: database, size: 1, name: "sitewire-local" })
  try {
    return (await createApiKey({ prisma: openPrisma(pool), name: "local" })).key
  } finally {
    await pool.close()
  }
}

/** Like Promise.all, but waits for all before it rejects: what starts late must still be known to be stopped. */
async function settleAll<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work)
  return Promise.all(work) as Promise<{ [K in keyof T]: Awaited<T[K]> }>
}

/** Services first and together, then what they stand on, last started first. */
async function stopAll(started: Stoppable[]): Promise<void> {
  const isBacking = ({ name }: Stoppable) => name === "Postgres" || name === "Kafka"
  const parts = started.splice(0)
  await Promise.allSettled(parts.filter((part) => !isBacking(part)).map((part) => part.stop()))
  await Promise.allSettled(parts.filter(isBacking).map((part) => part.stop()))
}

function pidOf(name: string, backing: BackingService): Record<string, number> {
  return backing.kind !== "given" && backing.pid !== undefined ? { [name]: backing.pid } : {}
}
