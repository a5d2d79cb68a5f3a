import { readFileSync } from "node:fs"
import { snippetLanguageSchema } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { processLater, processOnce } from "./receiverSnippets.ts"
import { markProcessed, storeInInbox, takeFromInbox, upsertSite } from "./receiverSql.ts"

const page = readFileSync(new URL("../../../../../../../docs/partners.md", import.meta.url), "utf8")
const tables = /```sql\n(create table .*?)```/s.exec(page)?.[1] ?? ""

const firstDelivery = "019aa000-0000-7fff-8000-000000000000"
const laterDelivery = "019aa000-0001-7000-8000-000000000000"

/** A partner's database: the tables of the partners' page, and one row of `work` for each time that work was done. */
async function startPartner() {
  const { url, drop } = await freshDatabase()
  const pool = openPool({ url, size: 4, name: "partner-of-tests" })
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  const { sql, driver } = pool
  await driver.query(`${tables}; create table work (site_url text, name text)`)
  const siteUrl = "https://bakery.example/"
  const body = (name: string) => JSON.stringify({ site_url: siteUrl, name })
  return {
    sql,
    upsert: (name: string, delivery = firstDelivery) =>
      sql(upsertSite, [siteUrl, "user-4711", name, "owner@bakery.example", delivery]),
    receive: (name: string, delivery = firstDelivery) => sql(storeInInbox, [siteUrl, delivery, body(name)]),
    /** A transaction that has done its part up to the commit. */
    async open(...statements: [text: string, values: unknown[]][]) {
      const connection = await driver.connect()
      connection.on("error", () => {})
      await connection.query("begin")
      for (const [text, values] of statements) await connection.query(text, values)
      const { rows } = await connection.query("select pg_backend_pid() as pid")
      return {
        connection,
        commit: () => connection.query("commit").finally(() => connection.release()),
        /** What a power failure of the partner's server does to it. */
        async crash() {
          // Waits until the transaction has ended, and with it its locks.
          await sql("select pg_terminate_backend($1, 60000)", [rows[0].pid])
          connection.release(true)
        },
      }
    },
    upsertStatement: (name: string): [string, unknown[]] => [
      upsertSite,
      [siteUrl, "user-4711", name, "o@b.example", firstDelivery],
    ],
    /** A worker that has done its work and has marked it, but has not committed. Null: there was nothing to do. */
    async work() {
      const transaction = await this.open()
      const { rows } = await transaction.connection.query(takeFromInbox)
      if (!rows[0]) {
        await transaction.commit()
        return null
      }
      const { name } = JSON.parse(rows[0].body)
      await transaction.connection.query("insert into work values ($1, $2)", [siteUrl, name])
      await transaction.connection.query(markProcessed, [siteUrl])
      return transaction
    },
    names: async (table: "site" | "work") =>
      (await sql<{ name: string }>(`select name from ${table}`)).map(({ name }) => name),
  }
}

test("an upsert has a site once, however often its delivery comes, and a correction updates it", async () => {
  const partner = await startPartner()
  for (let count = 0; count < 3; count += 1) await partner.upsert("Bakery")
  expect(await partner.names("site")).toEqual(["Bakery"])
  await partner.upsert("Bakery & Café")
  expect(await partner.names("site")).toEqual(["Bakery & Café"])
})

test("a retry that arrives after the correction of its data does not undo the correction", async () => {
  const partner = await startPartner()
  await partner.upsert("Bakery & Café", laterDelivery)
  await partner.upsert("Bakery", firstDelivery)
  expect(await partner.names("site")).toEqual(["Bakery & Café"])

  await partner.receive("Bakery & Café", laterDelivery)
  await (await partner.work())?.commit()
  await partner.receive("Bakery", firstDelivery)
  expect(await partner.work()).toBeNull()
  // The same data under a newer id are no work, and what is older than these is ignored.
  await partner.receive("Bakery & Café", `${laterDelivery}-newer`)
  await partner.receive("Bakery", laterDelivery)
  expect(await partner.work()).toBeNull()
  expect(await partner.names("work")).toEqual(["Bakery & Café"])
})

test("after a crash before the commit of an upsert, the next attempt has the site", async () => {
  const partner = await startPartner()
  const transaction = await partner.open(partner.upsertStatement("Bakery"))
  await transaction.crash()
  expect(await partner.names("site")).toEqual([])
  await partner.upsert("Bakery")
  expect(await partner.names("site")).toEqual(["Bakery"])
})

test("the inbox does the work once, however often a delivery comes, and again for a correction", async () => {
  const partner = await startPartner()
  for (let count = 0; count < 3; count += 1) {
    await partner.receive("Bakery")
    await (await partner.work())?.commit()
  }
  expect(await partner.names("work")).toEqual(["Bakery"])
  await partner.receive("Bakery & Café")
  await (await partner.work())?.commit()
  expect(await partner.names("work")).toEqual(["Bakery", "Bakery & Café"])
  expect(await partner.work()).toBeNull()
})

test("after a crash between the work and the commit, the work is undone and done again: nothing is lost", async () => {
  const partner = await startPartner()
  await partner.receive("Bakery")
  await (await partner.work())?.crash()
  expect(await partner.names("work")).toEqual([])
  await (await partner.work())?.commit()
  expect(await partner.names("work")).toEqual(["Bakery"])
  expect(await partner.work()).toBeNull()
})

test("two workers do not do the same work, and a correction during the work is not lost", async () => {
  const partner = await startPartner()
  await partner.receive("Bakery")
  const first = await partner.work()
  expect(await partner.work()).toBeNull()
  // Waits for the row that the worker has locked.
  const corrected = partner.receive("Bakery & Café")
  await first?.commit()
  await corrected
  await (await partner.work())?.commit()
  expect(await partner.names("work")).toEqual(["Bakery", "Bakery & Café"])
})

test.each(snippetLanguageSchema.options)(
  "the snippets in %s and the partners' page have these statements",
  (language) => {
    const once = withoutPlaceholders(processOnce[language])
    const later = withoutPlaceholders(processLater[language])
    expect(once).toContain(withoutPlaceholders(upsertSite))
    for (const statement of [storeInInbox, takeFromInbox, markProcessed])
      expect(later).toContain(withoutPlaceholders(statement))
    for (const statement of [upsertSite, storeInInbox, takeFromInbox, markProcessed])
      expect(withoutPlaceholders(page)).toContain(withoutPlaceholders(statement))
  },
)

/** Each language writes them in its own way. */
const withoutPlaceholders = (text: string) => text.replaceAll(/\$\d|%s|\?/g, "?").replaceAll(/\s+/g, " ")
