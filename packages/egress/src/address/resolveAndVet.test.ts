import { createSocket } from "node:dgram"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { soon } from "../../test/fixtures/soon.ts"
import { parsePolicy } from "./addressPolicy.ts"
import { createLookup } from "./lookUpName.ts"
import { readHostsFile } from "./readHostsFile.ts"
import { createResolve } from "./resolveAndVet.ts"

const policy = parsePolicy({ allow: [], allowHttp: false })

test("calls during a lookup share it, and a later call looks up again", async () => {
  let lookups = 0
  const resolve = createResolve({ policy, lookup: async () => [`1.1.1.${++lookups}`] })
  const [first, second] = await Promise.all([resolve("partner.example"), resolve("partner.example")])
  expect(first).toEqual({ kind: "vetted", ips: ["1.1.1.1"] })
  expect(second).toEqual(first)
  expect(await resolve("partner.example")).toEqual({ kind: "vetted", ips: ["1.1.1.2"] })
})

test("one blocked address at any position blocks the name; no address or an error leaves it unresolved", async () => {
  const addresses: Record<string, string[]> = {
    last: ["1.1.1.1", "2606:4700::1111", "169.254.169.254"],
    first: ["::1", "1.1.1.1"],
    none: [],
  }
  const resolve = createResolve({
    policy,
    lookup: async (name) =>
      addresses[name] ?? Promise.reject(Object.assign(new Error(), { code: "ESERVFAIL" })),
  })
  expect(await resolve("last")).toEqual({ kind: "blocked", ip: "169.254.169.254", range: "linkLocal" })
  expect(await resolve("first")).toEqual({ kind: "blocked", ip: "::1", range: "loopback" })
  expect(await resolve("none")).toEqual({ kind: "unresolved", code: "ENODATA" })
  expect(await resolve("other")).toEqual({ kind: "unresolved", code: "ESERVFAIL" })
})

test("localhost is loopback without a query", async () => {
  const lookup = createLookup()
  expect(await lookup("localhost")).toContain("127.0.0.1")
  expect(await lookup("app.localhost")).toContain("127.0.0.1")
})

test("the hosts file is read with all addresses of a name and without comments; a missing file is empty", () => {
  const folder = mkdtempSync(join(tmpdir(), "hosts-"))
  const path = join(folder, "hosts")
  writeFileSync(path, "# comment\n10.0.0.1  Partner alias # more\n\nfd00::1\tpartner\n")
  expect([...readHostsFile(path)]).toEqual([
    ["partner", ["10.0.0.1", "fd00::1"]],
    ["alias", ["10.0.0.1"]],
  ])
  rmSync(folder, { recursive: true })
  expect(readHostsFile(path).size).toBe(0)
})

/**
 * "dropped": no response to that query. `afterMs`: delay of the first response, as if other servers were queried.
 */
type Answers = number[][] | "dropped"
type Records = Record<
  string,
  { a?: Answers; aaaa?: Answers; afterMs?: number; ttl?: number; queries?: number }
>

/** A name server on loopback with `records`. For every other name it responds NXDOMAIN. */
async function nameServer(records: Records): Promise<string> {
  const askedAt = new Map<string, number>()
  const late: NodeJS.Timeout[] = []
  const socket = createSocket("udp4").on("message", (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length))
      at += 1 + length
    }
    const question = query.subarray(12, at + 5)
    const type = query.readUInt16BE(at + 1)
    const name = labels.join(".")
    const known = records[name]
    if (known !== undefined) known.queries = (known.queries ?? 0) + 1
    const answers = (type === 1 ? known?.a : known?.aaaa) ?? []
    if (answers === "dropped") return
    const first = askedAt.get(name) ?? performance.now()
    askedAt.set(name, first)
    const left = first + (known?.afterMs ?? 0) - performance.now()
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(answers.length, 6)
    head.fill(0, 8)
    const resources = answers.map((address) =>
      Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, known?.ttl ?? 0, 0, address.length, ...address]),
    )
    const send = () => socket.send(Buffer.concat([head, question, ...resources]), from.port, from.address)
    if (left > 0) late.push(setTimeout(send, left))
    else send()
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  onTestFinished(() => {
    for (const timer of late) clearTimeout(timer)
    socket.close()
  })
  return `127.0.0.1:${socket.address().port}`
}

test("a lookup returns all addresses of both families, IPv4 first", async () => {
  const v6 = [0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]
  const server = await nameServer({
    "both.example": {
      a: [
        [1, 1, 1, 1],
        [10, 0, 0, 1],
      ],
      aaaa: [v6],
    },
    "six.example": { aaaa: [v6] },
    "empty.example": {},
  })
  const lookup = createLookup({ servers: [server], ipv6: true })
  expect(await lookup("both.example")).toEqual(["1.1.1.1", "10.0.0.1", "2606:4700::1111"])
  expect(await lookup("six.example")).toEqual(["2606:4700::1111"])
  await expect(lookup("empty.example")).rejects.toMatchObject({ code: "ENODATA" })
  await expect(lookup("gone.example")).rejects.toMatchObject({ code: "ENOTFOUND" })
  const resolve = createResolve({ policy, lookup })
  expect(await resolve("both.example")).toMatchObject({ kind: "blocked", ip: "10.0.0.1" })
})

test("a name server that drops queries for IPv6 does not delay IPv4", async () => {
  const server = await nameServer({
    "four.example": { a: [[1, 1, 1, 1]], aaaa: "dropped" },
    "silent.example": { a: "dropped", aaaa: "dropped" },
  })
  const lookup = createLookup({ servers: [server], ipv6: true })
  onTestFinished(lookup.cancel)
  const inOrder: unknown[] = []
  // The resolver gives up a name for which nothing comes after several seconds.
  const silent = lookup("silent.example").catch(({ code }) => inOrder.push(code))
  inOrder.push(await lookup("four.example"))
  await silent
  expect(inOrder).toEqual([["1.1.1.1"], "ETIMEOUT"])
})

test("a machine without IPv6 queries IPv4 addresses only", async () => {
  const v6 = Array.from({ length: 16 }, () => 1)
  const server = await nameServer({
    "both.example": { a: [[1, 1, 1, 1]], aaaa: [v6] },
    "six.example": { aaaa: [v6] },
  })
  const lookup = createLookup({ servers: [server], ipv6: false })
  expect(await lookup("both.example")).toEqual(["1.1.1.1"])
  await expect(lookup("six.example")).rejects.toMatchObject({ code: "ENODATA" })
})

test("an answer is used again if its name server allows it", async () => {
  const a = [[1, 1, 1, 1]]
  const records: Records = { "kept.example": { a, ttl: 60 }, "never-kept.example": { a } }
  const server = await nameServer(records)
  const lookup = createLookup({ servers: [server], ipv6: true })
  for (const name of ["kept.example", "never-kept.example"])
    for (let count = 0; count < 5; count++) expect(await lookup(name)).toEqual(["1.1.1.1"])
  // Two queries for each: of IPv4 and IPv6.
  expect(records).toMatchObject({ "kept.example": { queries: 2 }, "never-kept.example": { queries: 10 } })
})

test("of an answer with many addresses, 16 are used", async () => {
  const a = Array.from({ length: 40 }, (_, at) => [1, 1, 1, at])
  const lookup = createLookup({ servers: [await nameServer({ "many.example": { a } })], ipv6: false })
  expect(await lookup("many.example")).toHaveLength(16)
})

test("a name that takes two seconds is resolved, also while other names are fast", async () => {
  const slow = { a: [[2, 2, 2, 2]], aaaa: [], afterMs: 2_000 }
  const server = await nameServer({ "quick.example": { a: [[1, 1, 1, 1]], aaaa: [] }, "slow.example": slow })
  const lookup = createLookup({ servers: [server], ipv6: true })
  const busy = setInterval(() => lookup("quick.example").catch(() => {}), 10)
  onTestFinished(() => clearInterval(busy))
  for (let count = 0; count < 50; count++) await lookup("quick.example")
  expect(await lookup("slow.example")).toEqual(["2.2.2.2"])
})

test("name servers that do not answer are read again, as those of the machine can change", async () => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1")
  await once(socket, "listening")
  const servers = [`127.0.0.1:${socket.address().port}`]
  socket.close()
  const lookup = createLookup({ servers, ipv6: false })
  const resolve = createResolve({ policy, lookup })
  expect(await resolve("moved.example")).toEqual({ kind: "unresolved", code: "ECONNREFUSED" })
  servers[0] = await nameServer({ "moved.example": { a: [[1, 1, 1, 1]] } })
  await soon(async () => expect(await resolve("moved.example")).toEqual({ kind: "vetted", ips: ["1.1.1.1"] }))
})

test("cancel ends a pending lookup", async () => {
  const server = await nameServer({ "never.example": { a: [[1, 1, 1, 1]], afterMs: 60_000 } })
  const lookup = createLookup({ servers: [server], ipv6: true })
  const pending = lookup("never.example")
  lookup.cancel()
  await expect(pending).rejects.toMatchObject({ code: "ECANCELLED" })
})
