import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { startBackingServices } from "@sitewire/testkit/backing"
import { startInstallation } from "@sitewire/testkit/installation"
import { serveFilled } from "./serveFilled.ts"

const stateFolder = fileURLToPath(new URL("../../../.sitewire/", import.meta.url))

/**
 * A console on a database of its own, with realistic data. It serves the page as it was built last. Postgres and Kafka are
 * those of DATABASE_URL and KAFKA_BROKERS; without them, both are started.
 */
export async function startFilledConsole(options: { empty?: boolean } = {}) {
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
  return serveFilled(it, options).catch(async (error: unknown) => {
    await it.stop()
    throw error
  })
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const pool = openPool({ url, size: 1, name: "sitewire-web" })
  try {
    await pool.sql(statement)
  } finally {
    await pool.close()
  }
}
