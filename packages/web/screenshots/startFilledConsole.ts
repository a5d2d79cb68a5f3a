import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { startBackingServices } from "@sitewire/testkit/backing"
import { runScript, startInstallation } from "@sitewire/testkit/installation"
import { fill } from "./data/fill.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire/", import.meta.url))

/**
 * A console on a database of its own, with realistic data. It serves the page as it was built last. No other service
 * runs, so the data does not change. Postgres and Kafka are those of DATABASE_URL and KAFKA_BROKERS; without them, both
 * are started. `oldDeliveries`: how many deliveries to add to those of the last day.
 */
export async function startFilledConsole({
  empty = false,
  oldDeliveries = 0,
}: {
  empty?: boolean
  oldDeliveries?: number
} = {}) {
  const backing = await startBackingServices({
    directory: `${stateFolder}web`,
    jars: `${stateFolder}jars`,
    env: process.env,
    durability: "scratch",
    ports: { postgres: 0, kafka: 0 },
    progress: (line) => void process.stderr.write(`${line}\n`),
  })
  const id = `web_${randomBytes(4).toString("hex")}`
  const databaseUrl = new URL(backing.databaseUrl)
  databaseUrl.pathname = `/${id}`
  await asAdmin(backing.databaseUrl, `create database ${id}`)
  const it = await startInstallation({
    backing: {
      databaseUrl: databaseUrl.href,
      brokers: backing.brokers,
      topicPrefix: `${id}.`,
      replication: 1,
      async stop() {
        await asAdmin(backing.databaseUrl, `drop database ${id} with (force)`)
        await backing.stop()
      },
    },
  })
  try {
    if (!empty) await fill(it, oldDeliveries)
    const { addresses } = await it.start("console", { API_REQUESTS_PER_MINUTE: "1000000", LOG_LEVEL: "warn" })
    const origin = addresses.console ?? ""
    return {
      origin,
      sql: it.sql,
      stop: () => it.stop(),
      async createKey(name: string, scopes: string): Promise<string> {
        const args = ["--name", name, "--scopes", scopes]
        const env = { DATABASE_URL: it.databaseUrl }
        return (await runScript("packages/console/src/tools/createKey.ts", args, env)).trim()
      },
      /** A link that signs in once, at the console or at a server in front of it. */
      async createLink(key: string, at = origin): Promise<string> {
        const headers = { authorization: `Bearer ${key}` }
        const response = await fetch(`${at}/v1/sign-in-links`, { method: "POST", headers })
        if (!response.ok) throw new Error(`no sign-in link: ${response.status} ${await response.text()}`)
        return ((await response.json()) as { url: string }).url
      },
    }
  } catch (error) {
    await it.stop()
    throw error
  }
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const pool = openPool({ url, size: 1, name: "sitewire-web" })
  try {
    await pool.sql(statement)
  } finally {
    await pool.close()
  }
}
