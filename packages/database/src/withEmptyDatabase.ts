import { randomBytes } from "node:crypto"
import { openPool, type Sql } from "./pool.ts"

/** Set by vitest's global setup. This package cannot use the testkit, which stands on it. */
const postgresAddress = process.env.DATABASE_URL ?? ""

/** For tests of migrations, which need a database without any. */
export async function withEmptyDatabase(work: (sql: Sql, url: string) => Promise<void>): Promise<void> {
  const name = `sitewire_test_${randomBytes(6).toString("hex")}`
  const admin = openPool({ url: postgresAddress, size: 1, name: "test" })
  await admin.sql(`create database ${name}`)
  const url = new URL(postgresAddress)
  url.pathname = `/${name}`
  const pool = openPool({ url: url.href, size: 1, name: "test" })
  try {
    await work(pool.sql, url.href)
  } finally {
    await pool.close()
    await admin.sql(`drop database ${name} with (force)`)
    await admin.close()
  }
}
