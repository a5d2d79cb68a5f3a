import { mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type ListedDelivery,
  listedDeliverySchema,
  type Page,
  pageSchema,
  timeOfDeliveryId,
} from "@sitewire/contracts"
import { type Route, routes } from "@sitewire/contracts/routes"
import type { Option } from "commander"
import { expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { commands } from "../src/commands/commands.ts"
import { fieldsOf, nameOfOption } from "../src/derive/fieldOptions.ts"
import { describeCommands, withSubcommands } from "../src/grammar/describeCommands.ts"
import { confirmOption } from "../src/options/pageOptions.ts"
import { parseFutureTime, parseTime } from "../src/options/parseTime.ts"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const longId = "0193a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b"
const longUrl = "https://webhooks.bakeries-of-northern-germany.example/sitewire/deliveries"
const time = new Date(Date.now() - 5 * 86_400_000).toISOString()
/** Values as long as they get in practice, by the name of their field. */
const texts: Record<string, string> = {
  id: "key_8c1f0e6a9b2d7c835e10",
  channel: "bakeries-of-northern-germany",
  connection: "bakeries-of-northern-germany-products",
  site: "products.bakeries-of-northern-germany.example",
  event_id: longId,
  secret_id: "sec_8c1f0e6a9b2d7c835e10",
  request_id: "req_8c1f0e6a9b2d7c835e10",
  from: "production.site.paid 11 123456789",
  group: "production.webhook-dispatcher.paid",
  ip: "2001:db8:85a3:1234:5678:8a2e:370:7334",
  client_address: "2001:db8:85a3:1234:5678:8a2e:370:7334",
  operation: "replaceConnectionSigningSecret",
  name: "production.site.ready.retry.30m",
  subject: "bakeries-of-northern-germany",
  next_step: "sitewire channel health bakeries-of-northern-germany",
  address: longUrl,
  source: longUrl,
  next_cursor: "",
}
const sentence =
  "the source responded with 502 Bad Gateway after a redirect to another host, which was not followed"

type Node = {
  $ref?: string
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: string[]
  anyOf?: Node[]
  items?: Node
  maximum?: number
  properties?: Record<string, Node>
  additionalProperties?: Node | boolean
}

/** A value of a schema in which everything is present and long. */
function longValue(schema: z.ZodType): unknown {
  const json = z.toJSONSchema(z.object({ root: schema }), { io: "output", unrepresentable: "any" })
  const definitions = (json.$defs ?? {}) as Record<string, Node>
  const make = (name: string, node: Node): unknown => {
    if (node.$ref) return make(name, definitions[node.$ref.replace("#/$defs/", "")] ?? {})
    if (node.anyOf) return make(name, node.anyOf[0] ?? {})
    if (node.const !== undefined) return node.const
    if (node.enum?.includes(texts[name] ?? "")) return texts[name]
    if (node.enum) return node.enum.toSorted((one, other) => other.length - one.length)[0]
    if (node.type === "array") return [make(name, node.items ?? {}), make(name, node.items ?? {})]
    if (Array.isArray(node.type)) return make(name, { ...node, type: node.type[0] ?? "null" })
    if (node.type === "integer" || node.type === "number") return Math.min(950, node.maximum ?? 950)
    if (node.type === "boolean") return true
    if (node.type === "object" && !node.properties)
      return { [name]: make(name, node.additionalProperties as Node) }
    if (node.type === "object")
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).map(([key, of]) => [key, make(key, of)]),
      )
    if (node.format === "uuid") return longId
    if (node.format === "date-time") return time
    if (node.format === "uri") return longUrl
    return name === "next_cursor" || name === "channels" ? null : (texts[name] ?? sentence)
  }
  return make("", json.properties?.root as Node)
}

const lists = withSubcommands(describeCommands(commands)).filter(({ path }) =>
  ["list", "windows", "attempts"].includes(path.at(-1) ?? ""),
)

/** Responds to the first request with `first`, and knows nothing else. */
async function startApi(first: unknown) {
  const missing = { type: "about:blank", code: "x", title: "Not found", status: 404 }
  const api = await startReceiver((_, response, before) =>
    response.writeHead(before === 0 ? 200 : 404).end(JSON.stringify(before === 0 ? first : missing)),
  )
  onTestFinished(() => api.close())
  return api
}

async function writeProfiles(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "sitewire-narrow-"))
  const api = "https://sitewire.bakeries-of-northern-germany.example"
  const profile = {
    api,
    key: "swk_k",
    kafka: "one.kafka.example:9092,two.kafka.example:9092",
    topic_prefix: "p.",
  }
  await mkdir(join(home, "sitewire"))
  await writeFile(
    join(home, "sitewire", "profiles.json"),
    JSON.stringify({ current: "production", profiles: { production: profile } }),
    { mode: 0o600 },
  )
  return home
}

const cellsOf = (text: string) => text.split("\n").flatMap((line) => line.trim().split(/ {2,}/))
const noteForm = /^(Not shown: .*\. )?--wide shows all\.$/
const shortForm = /^(\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d|0193a3c1-6d0e-7c3b|notification)$/

test.each(lists.map(({ path, command }) => ({ words: path.join(" "), command })))(
  "$words fits into 80 columns, marks what it cuts, and is whole with --wide and for programs",
  async ({ words, command }) => {
    const home = await writeProfiles()
    const list = async (more: string[], terminal: boolean) => {
      const api = await startApi(longValue(command?.json as z.ZodType))
      const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k", NO_COLOR: "1", XDG_CONFIG_HOME: home }
      const ids = (command?.arguments ?? []).flatMap(([syntax]) => (syntax.startsWith("<") ? [longId] : []))
      const { code, stdout, stderr } = await runCommand([...words.split(" "), ...ids, ...more], {
        env,
        terminal,
        columns: 80,
      })
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      return stdout.trimEnd()
    }
    const [narrow, wide, piped] = [await list([], true), await list(["--wide"], true), await list([], false)]
    expect(piped).toBe(wide)
    expect(Math.max(...wide.split("\n").map((line) => line.length))).toBeGreaterThan(80)
    const lines = narrow.split("\n")
    expect(lines.filter((line) => [...line].length > 80)).toEqual([])
    const note = lines.findLast((line) => noteForm.test(line)) ?? ""
    const whole = cellsOf(wide)
    const cells = cellsOf(lines.filter((line) => line !== note).join("\n"))
    const isMarked = (cell: string) =>
      whole.includes(cell) || shortForm.test(cell) || (cell.endsWith("…") && note !== "")
    expect(cells.filter((cell) => !isMarked(cell))).toEqual([])
    const titles = whole.filter((cell) => /^[A-Z][A-Z0-9 ]+$/.test(cell))
    expect(titles.filter((title) => !cells.includes(title) && !note.includes(title))).toEqual([])
  },
)

const derived = withSubcommands(describeCommands(commands)).flatMap(({ path, command }) => {
  const { operation, options = [] } = command ?? {}
  if (!command || !operation) return []
  const { query, body }: Route = routes[operation]
  const fields = [query, body].flatMap((schema) => Object.keys(fieldsOf(schema).shape))
  const given = fields.flatMap((field) => {
    const option = options.find(({ long }) => long === nameOfOption(field))
    return option ? [{ field, option }] : []
  })
  return [{ words: path.join(" "), command, given }]
})

/** What a user may write. */
function wordsOf({ long = "", required, argChoices, parseArg }: Option): string[] {
  if (long === "--header-env") return [long, "Authorization=TOKEN"]
  const isTime = parseArg === parseTime || parseArg === parseFutureTime
  return required ? [long, argChoices?.[0] ?? (isTime ? "1h" : "5")] : [long]
}

test.each(derived)(
  "$words sends the field of each of its options, and prints the response",
  async ({ words, command, given }) => {
    const api = await startApi(longValue(command.json as z.ZodType))
    const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k", NO_COLOR: "1", TOKEN: "t" }
    const ids = (command.arguments ?? []).map(() => longId)
    const yes = command.options?.includes(confirmOption) ? ["--yes"] : []
    const options = given.flatMap(({ option }) => wordsOf(option))
    const { code, stdout } = await runCommand([...words.split(" "), ...ids, ...options, ...yes], { env })
    const [{ path, body } = { path: "", body: Buffer.from("") }] = api.received
    const fields = [
      ...new URL(path, api.url).searchParams.keys(),
      ...Object.keys(JSON.parse(String(body) || "{}")),
    ]
    expect(fields).toEqual(expect.arrayContaining(given.map(({ field }) => field)))
    // A test delivery of these values failed.
    expect(code).toBe(/ test$/.test(words) ? 1 : 0)
    expect(stdout.trim()).not.toBe("")
    expect(stdout).not.toMatch(/undefined|NaN|\[object|Invalid/)
  },
)

test("commands accept the short id of a list, and name the whole ids if several deliveries have it", async () => {
  const uuid = (end: string) => `${longId.slice(0, -end.length)}${end}`
  const [delivery] = (longValue(pageSchema(listedDeliverySchema)) as Page<ListedDelivery>).data
  let ids = [uuid("4b"), uuid("-9a52-000000000000")]
  const api = await startReceiver(({ path }, response) => {
    if (path.startsWith("/v1/deliveries?")) {
      response.end(JSON.stringify({ data: ids.map((id) => ({ ...delivery, id })), next_cursor: null }))
    } else response.writeHead(404).end(JSON.stringify({ type: "", title: "Not found", status: 404 }))
  })
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k", NO_COLOR: "1" }
  const run = (...args: string[]) => runCommand(["delivery", ...args], { env, terminal: true, columns: 80 })

  const listed = (await run("list")).stdout.split("\n").flatMap((line) => /^[\da-f-]{13,}/.exec(line) ?? [])
  expect(listed).toEqual(["0193a3c1-6d0e-7c3b-9a51", "0193a3c1-6d0e-7c3b-9a52"])
  const [short = ""] = listed
  for (const verb of ["show", "attempts", "reveal", "resend", "cancel"]) {
    expect(await run(verb, short)).toMatchObject({ code: 1 })
    expect(api.received.at(-1)?.path).toMatch(`/v1/deliveries/${longId}`)
  }
  const search = new URLSearchParams(api.received.at(-2)?.path.split("?")[1])
  const at = timeOfDeliveryId(longId)
  expect(Date.parse(search.get("created_after") ?? "")).toBe(at - 1_000)
  expect(Date.parse(search.get("created_before") ?? "")).toBe(at + 1_000)
  const ambiguous = await run("cancel", short.slice(0, 20))
  expect(ambiguous).toMatchObject({ code: 1, stderr: expect.stringContaining(ids.join(", ")) })
  ids = []
  const unknown = await run("cancel", short)
  expect(unknown).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`No delivery has an id that begins with ${short}`),
  })
  expect(
    api.received.filter(({ path, method }) => method === "POST" && path.endsWith("/cancel")),
  ).toHaveLength(1)
})
