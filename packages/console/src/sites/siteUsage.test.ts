import { openPool } from "@sitewire/database"
import { createMetrics } from "@sitewire/runtime"
import { freshDatabase } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { observeSiteUsage, readSiteUsage } from "./siteUsage.ts"

test("the metric shows the most connections and the most stored bytes of any site, as shares of the limits", async () => {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 2, name: "test" })
  onTestFinished(async () => {
    await close()
    await database.drop()
  })
  expect(await readSiteUsage(sql)).toEqual({ connections: 0, bytes: 0 })
  // More sites than a statement reads. The one with most is in the middle.
  await sql(`insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed)
    select n::text, 'site-' || case when n <= 7 then 1500 else n end, 's', '', '', '' from generate_series(1, 2500) n`)
  await sql(`insert into snapshot (connection_id, fence, content_sha256, bytes)
    select id, 2, '', case id when '2400' then 500 else 10 end from connection`)
  await sql(`insert into previous_snapshot (connection_id, fence, content_sha256, bytes, stored_at)
    values ('2400', 1, '', 100, now())`)
  expect(await readSiteUsage(sql)).toEqual({ connections: 8, bytes: 600 })

  const metrics = createMetrics("console")
  await observeSiteUsage({ sql, limits: { connections: 16, bytes: 1_000 }, metrics })()
  const text = await metrics.metrics()
  expect(text).toMatch(/limit="connections".* 0\.5$/m)
  expect(text).toMatch(/limit="bytes".* 0\.6$/m)
})
