import { openPool } from "@sitewire/database"
import { createLogger } from "@sitewire/runtime"
import { freshDatabase, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startReportingCertificates } from "./startReportingCertificates.ts"

test("the newest expiry of each server is written, also after Postgres was unavailable", async () => {
  const database = await freshDatabase()
  const pool = openPool({ url: database.url, size: 1, name: "test" })
  let available = false
  const sql: typeof pool.sql = (...query) =>
    available ? pool.sql(...query) : Promise.reject(new Error("unavailable"))
  const report = startReportingCertificates({
    sql,
    intervalMs: 20,
    log: createLogger({ service: "test", level: "silent" }),
  })
  onTestFinished(async () => {
    await report.close()
    await pool.close()
    await database.drop()
  })
  const stored = () =>
    pool.sql<{ text: string }>(
      "select origin || ' ' || extract(epoch from expires_at)::bigint as text from receiver_certificate order by 1",
    )
  report.onCertificate("https://a.example", new Date(1_000_000))
  report.onCertificate("https://b.example:8443", new Date(2_000_000))
  available = true
  await waitUntil("both certificates", async () => (await stored()).length === 2)
  report.onCertificate("https://a.example", new Date(3_000_000))
  await waitUntil("the new certificate", async () => (await stored())[0]?.text === "https://a.example 3000")
  expect((await stored())[1]?.text).toBe("https://b.example:8443 2000")
})
