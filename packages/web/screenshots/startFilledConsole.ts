import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { runScript, startInstallation } from "@sitewire/installation"
import { fill } from "./data/fill.ts"

const built = fileURLToPath(new URL("../dist/index.html", import.meta.url))

/**
 * A console on a database of its own, with realistic data, in the Postgres and Kafka of DATABASE_URL and
 * KAFKA_BROKERS. It serves the page as it was built last. No other service runs, so the data does not change.
 */
export async function startFilledConsole({ empty = false }: { empty?: boolean } = {}) {
  const { DATABASE_URL, KAFKA_BROKERS } = process.env
  if (!DATABASE_URL || !KAFKA_BROKERS)
    throw new Error("DATABASE_URL and KAFKA_BROKERS must name a Postgres and a Kafka to use")
  if (!existsSync(built))
    throw new Error(`${built} does not exist: run npm run build --workspace @sitewire/web`)
  const id = `web_${randomBytes(4).toString("hex")}`
  await asAdmin(DATABASE_URL, `create database ${id}`)
  const databaseUrl = new URL(DATABASE_URL)
  databaseUrl.pathname = `/${id}`
  const it = await startInstallation({
    backing: {
      databaseUrl: databaseUrl.href,
      brokers: KAFKA_BROKERS.split(","),
      topicPrefix: `${id}.`,
      replication: 1,
      stop: () => asAdmin(DATABASE_URL, `drop database ${id} with (force)`),
    },
  })
  try {
    if (!empty) await fill(it)
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
