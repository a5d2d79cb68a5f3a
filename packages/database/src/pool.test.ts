import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { isUnavailable } from "./isUnavailable.ts"
import { openPool } from "./pool.ts"

/** Set by vitest's global setup. This package cannot use the testkit, which stands on it. */
const postgresAddress = process.env.DATABASE_URL ?? ""

test("a statement that was prepared over a nearly empty table goes by the index when the table has grown", async () => {
  const pool = openPool({ url: postgresAddress, size: 1, name: "test" })
  try {
    await pool.sql("create temporary table thing (id int primary key, seen int not null default 0)")
    await pool.sql("insert into thing values (1), (2), (3)")
    await pool.sql("analyze thing")
    const see = (ids: number[]) =>
      pool.sql(
        "update thing set seen = seen + 1 from unnest($1::int[]) as t (id) where thing.id = t.id",
        [ids],
        "see",
      )
    // Postgres settles on a plan with the sixth time.
    for (let time = 0; time < 10; time++) await see([1, 2, 3])
    await pool.sql("insert into thing select generate_series(4, 50000)")
    const before = await readFromEndToEnd()
    await see([1, 2, 3])
    expect(await readFromEndToEnd()).toBe(before)
    expect(await pool.sql("select id from thing where seen = 11")).toHaveLength(3)
  } finally {
    await pool.close()
  }

  async function readFromEndToEnd(): Promise<number> {
    await pool.sql("select pg_stat_force_next_flush()")
    const [row] = await pool.sql<{ scans: string }>(
      "select seq_scan as scans from pg_stat_all_tables where relid = 'thing'::regclass",
    )
    return Number(row?.scans)
  }
})

test("statements are not compiled, because that takes longer than executing them", async () => {
  const pool = openPool({ url: postgresAddress, size: 1, name: "test" })
  try {
    expect(await pool.sql("show jit")).toEqual([{ jit: "off" }])
  } finally {
    await pool.close()
  }
})

test("a connection that breaks while it is checked fails its statement, and does not end the process", async () => {
  const target = new URL(postgresAddress)
  const proxy = createServer((client) => {
    const server = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, server]) socket.on("error", () => {})
    client.on("data", (data) => {
      if (data.includes("pg_is_in_recovery")) client.destroy()
      else server.write(data)
    })
    client.on("close", () => server.destroy())
    server.pipe(client)
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const { port } = proxy.address() as AddressInfo
  const pool = openPool({
    url: postgresAddress.replace(target.host, `127.0.0.1:${port}`),
    size: 1,
    name: "test",
  })
  try {
    const uncaught: unknown[] = []
    const listener = (error: unknown) => void uncaught.push(error)
    process.on("uncaughtException", listener)
    await expect(pool.sql("select 1")).rejects.toSatisfy(isUnavailable)
    await expect(pool.driver.connect()).rejects.toSatisfy(isUnavailable)
    process.off("uncaughtException", listener)
    expect(uncaught).toEqual([])
  } finally {
    await pool.close()
    proxy.close()
  }
})

test("a server whose host vanishes without a word is given up after the statement's time-out, and asked anew", async () => {
  const proxy = await silenceableProxy(new URL(postgresAddress))
  const url = new URL(postgresAddress)
  url.host = `127.0.0.1:${proxy.port}`
  const pool = openPool({ url: url.href, size: 1, name: "test", statementTimeoutMs: 500 })
  try {
    expect(await pool.sql("select 1 as one")).toEqual([{ one: 1 }])
    proxy.silence()
    const error = await pool.sql("select 1 as one").catch((error: unknown) => error)
    expect(isUnavailable(error)).toBe(true)
    expect(await pool.sql("select 2 as two")).toEqual([{ two: 2 }])
  } finally {
    await pool.close()
  }
})

/** Passes everything on, until the connections that are open then are silent for good. */
async function silenceableProxy({ hostname, port }: URL) {
  const pairs = new Set<[Socket, Socket]>()
  const server = createServer((client) => {
    const behind = connect(Number(port || 5432), hostname)
    for (const socket of [client, behind]) socket.on("error", () => {})
    client.pipe(behind).pipe(client)
    pairs.add([client, behind])
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.close()
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      for (const [client, behind] of pairs) {
        client.unpipe(behind)
        behind.unpipe(client)
      }
    },
  }
}
