import { randomBytes } from "node:crypto"
import { migrate, openPool, type Pool } from "@sitewire/database"
import { connectWithinMs } from "./deadlines.ts"
import { retryFixture } from "./retryFixture.ts"

export type FreshDatabase = {
  url: string
  /** Drops the database. Fails if the code under test has left a connection open. */
  drop(): Promise<void>
}

/**
 * Each test run has a template database, whose name begins with this. The names of the run's databases begin
 * with the template's name, so that the run drops only its own.
 */
const templatePrefix = "sitewire_test_"

export function postgresAddress(): string {
  return required("DATABASE_URL")
}

export function kafkaBrokers(): string[] {
  return required("KAFKA_BROKERS").split(",")
}

/** A new database with all migrations: a copy of the template, made in about 50 ms. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const template = required("TEMPLATE_DATABASE")
  // Each try has a new name, because the response to a statement that succeeded may be lost.
  const name = await retryFixture(async () => {
    const name = `${template}_${randomBytes(6).toString("hex")}`
    // Copying the files takes half as long as writing their content to the log, which is Postgres's default.
    const statement = `create database ${name} template ${template} strategy file_copy`
    await asAdmin(postgresAddress(), ({ sql }) => sql(statement))
    return name
  })
  return {
    url: databaseUrl(postgresAddress(), name),
    async drop() {
      const statement = `drop database if exists ${name}`
      await retryFixture(() => asAdmin(postgresAddress(), ({ sql }) => sql(statement)))
    },
  }
}

/** Called once before all test files. Returns the template's name. */
export async function makeTemplate(address: string): Promise<string> {
  const name = `${templatePrefix}${randomBytes(4).toString("hex")}`
  await asAdmin(address, ({ sql }) => sql(`create database ${name}`))
  await migrate(databaseUrl(address, name))
  return name
}

/** Called once after all test files: drops the template and its copies that are left. */
export async function dropTestDatabases(address: string, template: string): Promise<void> {
  await asAdmin(address, async ({ sql }) => {
    const copies = "select datname from pg_database where starts_with(datname, $1)"
    const left = await sql<{ datname: string }>(copies, [template])
    for (const { datname } of left) await sql(`drop database if exists ${datname} with (force)`)
  })
}

async function asAdmin<T>(address: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const limits = { statementTimeoutMs: connectWithinMs, connectTimeoutMs: connectWithinMs }
  const pool = openPool({ url: address, size: 1, name: "sitewire-testkit", ...limits })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}

function databaseUrl(address: string, name: string): string {
  const url = new URL(address)
  url.pathname = `/${name}`
  return url.href
}

function required(variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw new Error(`${variable} is not set: Run the tests with npm test, whose global setup sets it.`)
}
