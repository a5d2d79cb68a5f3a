import { chmod, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const page = '{"data":[],"next_cursor":null}'
let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sitewire-profiles-"))
})

const run = (args: string[], env: Record<string, string> = {}, input = "") =>
  runCommand(args, { env: { XDG_CONFIG_HOME: home, ...env }, input })
const file = () => join(home, "sitewire", "profiles.json")

async function startApi() {
  const api = await startReceiver((_, response) => response.end(page))
  onTestFinished(() => api.close())
  return { url: api.url, keys: () => api.received.map(({ headers }) => headers.authorization) }
}

async function add(name: string, api: string, ...more: string[]) {
  const added = await run(["profile", "add", name, "--api", api, ...more], {}, `swk_of-${name}\n`)
  expect(added).toMatchObject({ code: 0 })
  return added
}

test("profiles are added, listed, used and removed, and no output contains a key", async () => {
  const [production, staging] = [await startApi(), await startApi()]
  const outputs = [
    await add("production", production.url),
    await add("staging", staging.url, "--kafka", "staging.example:9092", "--topic-prefix", "s."),
    await run(["profile", "list"]),
    await run(["profile", "list", "--json"]),
  ]
  expect(outputs[2]?.stdout).toMatch(/^ +NAME +API +KAFKA +TOPIC PREFIX\n\* +production +http.*\n +staging /)
  expect(JSON.parse(outputs[3]?.stdout ?? "")).toEqual({
    data: [
      { name: "production", api: production.url, kafka: null, topic_prefix: null, in_use: true },
      {
        name: "staging",
        api: staging.url,
        kafka: "staging.example:9092",
        topic_prefix: "s.",
        in_use: false,
      },
    ],
  })
  expect((await run(["channel", "list"])).code).toBe(0)
  expect((await run(["channel", "list", "--profile", "staging"])).code).toBe(0)
  expect((await run(["channel", "list"], { SITEWIRE_PROFILE: "staging" })).code).toBe(0)
  expect(production.keys()).toEqual(["Bearer swk_of-production"])
  expect(staging.keys()).toEqual(["Bearer swk_of-staging", "Bearer swk_of-staging"])
  outputs.push(await run(["profile", "use", "staging"]))
  expect((await run(["channel", "list"])).code).toBe(0)
  expect(staging.keys()).toHaveLength(3)

  outputs.push(await run(["profile", "remove", "staging"]))
  expect(outputs.at(-1)).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes") })
  outputs.push(await run(["profile", "remove", "staging", "--yes"]))
  expect(await readFile(file(), "utf8")).not.toContain("swk_of-staging")
  expect(await run(["channel", "list"])).toMatchObject({ code: 2 })
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain("swk_")
})

test("only the user can read the keys, and a file that others can read is not used", async () => {
  await add("production", "http://a.example")
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect((await stat(join(home, "sitewire"))).mode & 0o777).toBe(0o700)
  expect(await readdir(join(home, "sitewire"))).toEqual(["profiles.json"])
  await chmod(file(), 0o640)
  const refused = await run(["channel", "list"])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("chmod 600") })
})

test("a damaged file is reported by its fields, and not overwritten", async () => {
  await add("production", "http://a.example")
  await writeFile(file(), JSON.stringify({ current: null, profiles: { p: { api: 1, key: "swk_k" } } }))
  const { code, stderr } = await run(["profile", "add", "q", "--api", "http://q.example"], {}, "swk_q")
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("profiles.p.api") })
  expect(stderr).not.toContain("swk_k")
  expect(await readFile(file(), "utf8")).toContain("swk_k")
})

test("a profile's key is sent to its own address only, and the environment's key to no profile", async () => {
  const [own, other] = [await startApi(), await startApi()]
  await add("own", own.url)
  const elsewhere = await run(["channel", "list", "--profile", "own", "--api", other.url])
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no key") })
  expect(await run(["channel", "list", "--api", other.url])).toMatchObject({ code: 2 })
  expect(await run(["channel", "list"], { SITEWIRE_API_KEY: "swk_env" })).toMatchObject({ code: 2 })
  expect([...own.keys(), ...other.keys()]).toEqual([])
  const env = { SITEWIRE_API: other.url, SITEWIRE_API_KEY: "swk_env" }
  expect(await run(["channel", "list"], env)).toMatchObject({ code: 0 })
  expect(await run(["channel", "list", "--profile", "own"], env)).toMatchObject({ code: 0 })
  expect(other.keys()).toEqual(["Bearer swk_env"])
  expect(own.keys()).toEqual(["Bearer swk_of-own"])
})

test("a key typed at a terminal is not shown", async () => {
  const typed = await runCommand(["profile", "add", "p", "--api", "http://a.example"], {
    env: { XDG_CONFIG_HOME: home },
    input: "swk_typed\n",
    terminal: true,
  })
  expect(typed).toMatchObject({ code: 0, stderr: expect.stringContaining("Type the API key: ") })
  expect(typed.stdout + typed.stderr).not.toContain("swk_typed")
  expect(await readFile(file(), "utf8")).toContain('"swk_typed"')
})
