import { mkdir } from "node:fs/promises"
import { createClient, Failure, type LocalStack } from "@sitewire/cli"
import { createApiKey } from "@sitewire/console"
import { allRoles } from "@sitewire/contracts"
import { openPrisma } from "@sitewire/database/prisma"
import { type Config, reasonOf } from "@sitewire/runtime"
import {
  type BackingServices,
  processStartTime,
  startBackingServices,
  startedHere,
} from "@sitewire/testkit/backing"
import { type Installation, services, startInstallation } from "@sitewire/testkit/installation"
import { progress } from "./command.ts"
import type { localVariables } from "./config.ts"
import { demoChannel, makeDemoChannel } from "./makeDemoChannel.ts"
import { partnerClient } from "./partner/client.ts"
import { passVariables } from "./passVariables.ts"
import {
  createLocalFile,
  dataFolder,
  jarsFolder,
  localFile,
  logsFolder,
  readRunningInstallation,
  readSecrets,
  type Secrets,
  writeSecrets,
} from "./state.ts"

export type LocalInstallation = { local: LocalStack; stop(): Promise<void> }

type LocalConfig = Config<typeof localVariables>
const killAfterMs = 30_000
type Service = { main: string; ports: Record<string, string> }
const demoPartner: Service = {
  main: "development/local/src/partner/main.ts",
  ports: { OPS_PORT: "ops", PARTNER_PORT: "partner" },
}

/**
 * Starts everything on this machine: Postgres, Kafka, all services and the demo partner. Writes
 * `.sitewire/local.json` when everything is ready. If one process fails to start, the others are stopped.
 */
export async function startLocalInstallation(config: LocalConfig): Promise<LocalInstallation> {
  const running = await readRunningInstallation()
  if (running)
    throw new Error(`Sitewire is already running (${running.console}). Use it, or stop it with Ctrl-C.`)
  await mkdir(logsFolder, { recursive: true })
  const secrets = await readSecrets()
  const backing = await startBackingServices({
    directory: dataFolder,
    jars: jarsFolder,
    env: process.env,
    durability: "persistent",
    ports: { postgres: config.POSTGRES_PORT, kafka: config.KAFKA_PORT },
    progress,
    onUnaskedEnd: (line) =>
      progress(`${line}\nStop all with Ctrl-C, and run npm start again: the data is kept`),
  })
  const { databaseUrl, brokers } = backing
  const it = await startInstallation({
    backing: { databaseUrl, brokers, topicPrefix: config.TOPIC_PREFIX, replication: 1, stop: backing.stop },
    env: {
      ALLOWED_RANGES: "127.0.0.0/8,::1/128",
      PARTNER_ALLOWED_RANGES: "127.0.0.0/8,::1/128",
      ...passVariables(process.env, progress),
    },
    sealingKeys: secrets.sealingKeys,
    logsFolder,
    ownProcessGroup: true,
  })
  progress("migrations are applied, and all topics exist", "waiting")
  const stopAll = () => it.stop("SIGTERM", killAfterMs)
  try {
    const { local, removeLocalFile } = await startProcesses(it, backing, config, secrets)
    const stop = async () => void (await Promise.allSettled([removeLocalFile(), stopAll()]))
    return { local, stop }
  } catch (error) {
    await stopAll()
    throw error
  }
}

async function startProcesses(
  it: Installation,
  backing: BackingServices,
  config: LocalConfig,
  secrets: Secrets,
) {
  let updateLocalFile = () => {}
  async function run(name: string, service: Service, env: Record<string, string>) {
    let isRestart = false
    const process = it.superviseFile({
      name,
      ...service,
      restartAfterMs: 500,
      retryAfterMs: 2_500,
      env: () => env,
      onEvent(event) {
        if (event.kind === "failed to start") progress(reasonOf(event.error))
        if (event.kind === "ended" && event.unasked) {
          const how = event.signal ?? `exit code ${event.code}`
          progress(`${name} ended (${how}) and is started again. Its log is in ${logsFolder}`)
        }
        if (event.kind !== "started") return
        if (isRestart) progress(`${name} runs again as process ${event.pid}`)
        else progress(`${name} is ready`, "waiting")
        isRestart = true
        updateLocalFile()
      },
    })
    await process.start({ retry: false })
    return process
  }
  const secretOfPartner = secrets.demoSecret ? { [demoChannel]: secrets.demoSecret } : {}
  const ofPartner = {
    PARTNER_PORT: String(config.PARTNER_PORT),
    PARTNER_SECRETS: JSON.stringify(secretOfPartner),
  }
  const ofGateway = { ...it.variables("gateway"), GATEWAY_PORT: String(config.GATEWAY_PORT) }
  const startingGateway = run("trigger-gateway", services.gateway, ofGateway)
  const [gateway, scheduler, dispatcher, partner, management] = await Promise.all([
    startingGateway,
    run("sync-scheduler", services.scheduler, it.variables("scheduler")),
    run("webhook-dispatcher", services.dispatcher, it.variables("dispatcher")),
    run("demo-partner", demoPartner, ofPartner),
    startingGateway.then(({ addresses }) =>
      run("console", services.console, {
        ...it.variables("console"),
        GATEWAY_ORIGIN: addresses().gateway ?? "",
        CONSOLE_PORT: String(config.CONSOLE_PORT),
      }),
    ),
  ])
  const processes = [gateway, scheduler, dispatcher, partner, management]
  // These addresses stay valid, because a restarted process listens on the same ports.
  const ops = Object.fromEntries(processes.map(({ name, addresses }) => [name, addresses().ops ?? ""]))
  const addresses = {
    gateway: gateway.addresses().gateway ?? "",
    console: management.addresses().console ?? "",
    partner: partner.addresses().partner ?? "",
    kafka: it.brokers.join(","),
    database: it.databaseUrl,
    topicPrefix: it.topicPrefix,
  }
  const apiKey = await prepareDemo(it, addresses, secrets)
  // Postgres or Kafka is missing if it runs in Docker or was started by somebody else.
  const servers: Record<string, number> = {}
  for (const [name, server] of Object.entries({ postgres: backing.postgres, kafka: backing.kafka[0] }))
    if (server?.kind === "local") servers[name] = startedHere(server).pid ?? 0
  const describe = (): LocalStack => ({
    ...addresses,
    apiKey,
    ops,
    processes: {
      supervisor: process.pid,
      ...Object.fromEntries(processes.map(({ name, pid }) => [name, pid() ?? 0])),
      ...servers,
    },
    supervisorBirth: processStartTime(process.pid) ?? "",
  })
  const file = await createLocalFile(localFile, { describe, progress })
  updateLocalFile = file.update
  return { local: describe(), removeLocalFile: file.remove }
}

/** Makes an API key, unless the stored key is valid. Makes the channel `demo`, whose secret the demo partner gets. */
async function prepareDemo(
  it: Installation,
  { console: api, partner }: { console: string; partner: string },
  { apiKey: stored, ...secrets }: Secrets,
): Promise<string> {
  const isValid = stored !== undefined && (await isValidKey(api, stored))
  const makeKey = () => createApiKey({ prisma: openPrisma(it.pool), name: "local", scopes: allRoles })
  const apiKey = isValid ? stored : (await makeKey()).key
  const client = createClient({ api, key: apiKey })
  const demoSecret = await makeDemoChannel({ client, partner: partnerClient(partner) }, secrets.demoSecret)
  await writeSecrets({ ...secrets, apiKey, demoSecret })
  return apiKey
}

async function isValidKey(api: string, key: string): Promise<boolean> {
  const listing = createClient({ api, key }).listChannels({ limit: 1 })
  return listing.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Failure && error.problem?.status === 401) return false
      throw error
    },
  )
}
