import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import {
  openPool,
  readDigestKey,
  readSealingKeys,
  type Sql,
  seal,
  sealContexts,
  sealedTables,
  sealingKeyId,
  unseal,
} from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { resealAll } from "./resealAll.ts"

const [oldKey, newKey, lostKey] = ["old", "new", "lost"].map(
  (id) => `${id}:${randomBytes(32).toString("base64")}`,
)
const before = readSealingKeys(String(oldKey))
const both = readSealingKeys(`${newKey},${oldKey}`)
const after = readSealingKeys(String(newKey))

test("after a reseal, the new key alone opens every value, and a second reseal changes nothing", async () => {
  await using it = await startDatabase()
  for (let at = 0; at < 5; at++) await it.addChannel(`channel-${at}`)
  await it.addConnection("connection-1")
  const digestKey = await readDigestKey(it.sql, before)
  expect(await resealAll(it.sql, both, 2)).toEqual({ scanned: 14, resealed: 14, unopened: [] })
  expect(await resealAll(it.sql, after, 2)).toEqual({ scanned: 14, resealed: 0, unopened: [] })
  expect(await readDigestKey(it.sql, after)).toEqual(digestKey)
  for (const { id, secret_id, secret_sealed, other_secret_id, other_secret_sealed } of await it.channels()) {
    expect(unseal(after, sealContexts.signingSecret(id, secret_id), secret_sealed)).toBe(`secret of ${id}`)
    expect(unseal(after, sealContexts.signingSecret(id, other_secret_id), other_secret_sealed)).toBe(
      `next secret of ${id}`,
    )
  }
  const [connection] = await it.sql<{ token: Buffer; secret: Buffer; headers: Buffer }>(
    "select token_sealed as token, signing_secret_sealed as secret, request_headers_sealed as headers from connection",
  )
  const opened = (context: string, sealed: Uint8Array = Buffer.alloc(0)) => unseal(after, context, sealed)
  expect(opened(sealContexts.connectionToken("connection-1"), connection?.token)).toBe("token")
  expect(opened(sealContexts.connectionSecret("connection-1"), connection?.secret)).toBe("secret")
  expect(opened(sealContexts.sourceHeaders("connection-1"), connection?.headers)).toBe("headers")
})

test("a reseal knows every column of sealed values", async () => {
  await using it = await startDatabase()
  const columns = await it.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_sealed' order by 1`,
  )
  const known = sealedTables.flatMap(({ table, columns }) =>
    Object.keys(columns).map((one) => `${table}.${one}`),
  )
  expect(columns.map(({ name }) => name)).toEqual(known.toSorted())
})

test("a secret that is activated meanwhile is resealed in its new column", async () => {
  await using it = await startDatabase()
  await it.addChannel("rotating")
  let rotated = false
  const rotatingAtTheFirstWrite: Sql = async (text, ...more) => {
    if (text.startsWith("update") && !rotated) {
      rotated = true
      await it.sql(
        `update channel set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
                            other_secret_id = secret_id, other_secret_sealed = secret_sealed`,
      )
    }
    return it.sql(text, ...more)
  }
  expect(await resealAll(rotatingAtTheFirstWrite, both)).toEqual({ scanned: 2, resealed: 2, unopened: [] })
  const [channel] = await it.channels()
  expect(channel).toMatchObject({ secret_id: "sec_2", other_secret_id: "sec_1" })
  const sealed = [channel?.secret_sealed, channel?.other_secret_sealed]
  expect(sealed.map((value) => sealingKeyId(value ?? Buffer.alloc(0)))).toEqual(["new", "new"])
})

test("the command lists the values that it cannot open, leaves them unchanged, and fails", async () => {
  await using it = await startDatabase()
  await it.addChannel("mine")
  await it.addChannel("theirs", readSealingKeys(String(lostKey)))
  const child = spawn(process.execPath, [fileURLToPath(new URL("reseal.ts", import.meta.url))], {
    env: { PATH: process.env.PATH, DATABASE_URL: it.url, SEALING_KEYS: `${newKey},${oldKey}` },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text))
  const [code] = await once(child, "close")
  expect(output).toContain('4 sealed values, 2 of them resealed with the key "new"')
  expect(output).toContain('not resealed: channel theirs (key "lost") is not in SEALING_KEYS')
  expect(output).not.toMatch(/secret of|:[\w+/]{43}=/)
  expect(code).toBe(1)
  const keys = (await it.channels()).map(({ id, secret_sealed }) => `${id} ${sealingKeyId(secret_sealed)}`)
  expect(keys).toEqual(["mine new", "theirs lost"])
})

type Channel = {
  id: string
  secret_id: string
  secret_sealed: Buffer
  other_secret_id: string
  other_secret_sealed: Buffer
}

async function startDatabase() {
  const database = await freshDatabase()
  const { sql, close } = openPool({ url: database.url, size: 1, name: "test" })
  return {
    sql,
    url: database.url,
    async addChannel(id: string, keys = before) {
      const sealed = (secretId: string, value: string) =>
        seal(keys, sealContexts.signingSecret(id, secretId), value)
      await sql(
        `insert into channel (id, address, secret_id, secret_sealed, other_secret_id, other_secret_sealed,
                              other_secret_state, updated_at)
         values ($1, 'https://partner.example/', 'sec_1', $2, 'sec_2', $3, 'staged', now())`,
        [id, sealed("sec_1", `secret of ${id}`), sealed("sec_2", `next secret of ${id}`)],
      )
    },
    addConnection: (id: string) =>
      sql(
        `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed,
                                 request_headers_sealed)
         values ($1, 'site.example', 'https://source.example/', 'digest', $2, $3, $4)`,
        [
          id,
          seal(before, sealContexts.connectionToken(id), "token"),
          seal(before, sealContexts.connectionSecret(id), "secret"),
          seal(before, sealContexts.sourceHeaders(id), "headers"),
        ],
      ),
    channels: () =>
      sql<Channel>(
        "select id, secret_id, secret_sealed, other_secret_id, other_secret_sealed from channel order by id",
      ),
    async [Symbol.asyncDispose]() {
      await close()
      await database.drop()
    },
  }
}
