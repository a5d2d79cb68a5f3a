import { chmod, chown, mkdir, mkdtemp, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closedPort } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import type { LocalStack } from "../src/target/localStack.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const closed = `127.0.0.1:${await closedPort()}`
const stack: LocalStack = {
  gateway: `http://${closed}`,
  console: `http://${closed}`,
  partner: `http://${closed}`,
  kafka: closed,
  database: `postgresql://user:database-password@${closed}/sitewire`,
  apiKey: "swk_local-key",
  ops: {},
  processes: { console: 1 },
  supervisorBirth: "",
}

test("without a configured address, the error explains how to start the local stack", async () => {
  const results = await Promise.all([
    runCommand(["channel", "list"]),
    runCommand(["publish", "site.paid", "--channel", "acme"]),
    runCommand(["trigger", "bakery"]),
  ])
  for (const { code, stdout, stderr } of results) {
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("npm start")
    expect(stderr.trim().split("\n")).toHaveLength(1)
  }
})

test("the error for a stopped local stack differs from that for a missing one", async () => {
  const cwd = await folderWith(stack)
  const [api, kafka] = await Promise.all([
    runCommand(["delivery", "list"], { cwd }),
    runCommand(["publish", "site.paid", "--channel", "acme"], { cwd }),
  ])
  expect(api).toMatchObject({ code: 3, stderr: expect.stringContaining("the connection was refused") })
  expect(kafka.code).toBe(3)
  for (const { stderr } of [api, kafka]) expect(stderr).toContain(".sitewire/local.json")
})

test("the local stack's file in the folder or a parent is used, and the environment overrides it", async () => {
  const api = await recordingApi()
  const folder = await folderWith({ ...stack, console: api.url })
  const nested = join(folder, "a", "b")
  await mkdir(nested, { recursive: true })
  const other = await recordingApi()
  expect(await runCommand(["channel", "list"], { cwd: nested })).toMatchObject({ code: 0 })
  expect(api.keys).toEqual(["Bearer swk_local-key"])
  const env = { SITEWIRE_API: other.url, SITEWIRE_API_KEY: "swk_env" }
  expect(await runCommand(["channel", "list"], { cwd: nested, env })).toMatchObject({ code: 0 })
  expect(await runCommand(["channel", "list", "--api", api.url], { cwd: nested, env })).toMatchObject({
    code: 0,
  })
  expect(other.keys).toEqual(["Bearer swk_env"])
  expect(api.keys).toEqual(["Bearer swk_local-key", "Bearer swk_env"])
})

test("the local stack's key is not sent to any other address", async () => {
  const other = await recordingApi()
  const { code, stderr } = await runCommand(["channel", "list", "--api", other.url], {
    cwd: await folderWith(stack),
  })
  expect(code).toBe(2)
  expect(stderr).toContain("SITEWIRE_API_KEY")
  expect(other.keys).toEqual([])
})

test("a file of the folder decides neither where another key is sent, nor what a chosen profile is", async () => {
  const planted = await recordingApi()
  const own = await recordingApi()
  const cwd = await folderWith({ ...stack, console: planted.url })
  const home = await mkdtemp(join(tmpdir(), "sitewire-cli-"))
  const env = { XDG_CONFIG_HOME: home }
  const withKey = await runCommand(["channel", "list"], { cwd, env: { SITEWIRE_API_KEY: "swk_env" } })
  expect(withKey).toMatchObject({ code: 2, stderr: expect.stringContaining("Set SITEWIRE_API") })
  const add = ["profile", "add", "own", "--api", own.url]
  expect(await runCommand(add, { env, input: "swk_own\n" })).toMatchObject({ code: 0 })
  expect(await runCommand(["channel", "list"], { cwd, env })).toMatchObject({ code: 0 })
  expect(own.keys).toContain("Bearer swk_own")
  expect(planted.keys).toEqual([])
})

test("a file that another user has written or may write is not used", async () => {
  const planted = await recordingApi()
  const cwd = await folderWith({ ...stack, console: planted.url })
  const file = join(cwd, ".sitewire", "local.json")
  const refused = { code: 2, stderr: expect.stringContaining("another user of this machine") }
  await chmod(file, 0o666)
  expect(await runCommand(["channel", "list"], { cwd })).toMatchObject(refused)
  if (process.getuid?.() === 0) {
    await chmod(file, 0o600)
    await chown(file, 65_534, 65_534)
    expect(await runCommand(["channel", "list"], { cwd })).toMatchObject(refused)
  }
  expect(planted.keys).toEqual([])
})

test("an address with credentials, and an invalid key, are rejected and not quoted", async () => {
  const address = "http://ops:hunter2@127.0.0.1:1"
  const results = await Promise.all([
    runCommand(["channel", "list"], { env: { SITEWIRE_API: address, SITEWIRE_API_KEY: "swk_k" } }),
    runCommand(["channel", "list", "--api", address], { env: { SITEWIRE_API_KEY: "swk_k" } }),
    ...["\u201cswk_hunter2\u201d", "swk_hun\nter2", "swk_hunter2 swk_hunter2"].map((key) =>
      runCommand(["channel", "list"], { env: { SITEWIRE_API: `http://${closed}`, SITEWIRE_API_KEY: key } }),
    ),
  ])
  for (const { code, stderr } of results) {
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("SITEWIRE_API_KEY") })
    expect(stderr).not.toMatch(/hun|ter2/)
  }
})

test("a line break after the key, as at the end of a file, is ignored", async () => {
  const api = await recordingApi()
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_env\n" }
  expect(await runCommand(["channel", "list"], { env })).toMatchObject({ code: 0 })
  expect(api.keys).toEqual(["Bearer swk_env"])
})

test("the error for an invalid local stack's file names its fields and no values", async () => {
  const { apiKey: _, ...rest } = stack
  const { code, stderr } = await runCommand(["channel", "list"], {
    cwd: await folderWith({ ...rest, kafka: 9092 }),
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/local\.json cannot be used: missing or invalid: .*kafka/)
  expect(stderr).toContain("apiKey")
  expect(stderr).not.toContain("database-password")
})

test.each([
  ["a page", "<html>", 200],
  [
    "the trigger gateway",
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"Ask the owner of the site."}',
    404,
  ],
])("%s is reported as not the management API's response", async (_, body, status) => {
  const api = await recordingApi(body, status)
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  const { code, stderr } = await runCommand(["channel", "list"], { env })
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not the management API's"),
  })
  expect(stderr).toContain("Check the address")
  expect(stderr).not.toContain("owner of the site")
})

test("the address can have /v1 at its end, as `npm start` prints it", async () => {
  const api = await recordingApi()
  for (const end of ["", "/", "/v1", "/v1/"]) {
    const env = { SITEWIRE_API: `${api.url}${end}`, SITEWIRE_API_KEY: "swk_k" }
    expect(await runCommand(["channel", "list"], { env })).toMatchObject({ code: 0 })
  }
  expect(new Set(api.paths)).toEqual(new Set(["/v1/channels"]))
})

test("incorrect usage has exit code 2 and an error message, which never quotes a token", async () => {
  const address = `https://x.example/connectors/hook/a/swt_${"A".repeat(49)}/`
  const uses = [
    [],
    ["channel"],
    ["chanel", "list"],
    ["channel", "show"],
    ["channel", "create"],
    ["channel", "secret"],
    ["channel", "update", "acme"],
    ["channel", "update", "acme", "--standard-webhooks", "perhaps"],
    ["delivery", "list", "--state", "lost"],
    ["delivery", "list", "--limit", "0"],
    ["publish", "site.paid", "--file", "a", "--email", "b@c.example"],
    ["trigger"],
    ["listen", "--port", "65536"],
    ["listen", "--behave", "well"],
    ["listen", "--secret-env", "NOWHERE"],
    ["trigger", address],
    ["trigger", "a", address],
    ["trigger", "a", "--url-stdin"],
    ["delivery", "resend-all", "--after", "2026-02-31", "--reason", "r"],
    ["event", "replay", "--before", "2026-02-29T10:00:00Z", "--reason", "r"],
    ["event", "replay", "--reason", "r"],
    ["delivery", "resend-all", "--channel", "a", "--reason", "r"],
    ["erasure", "create", "--site", "https://a.example", "--reason", "r"],
    ["key", "revoke", "key_1"],
    ["key", "create", "--name", "n"],
    ["key", "create", "--name", "n", "--scope", "read", "--expires", "tomorrow"],
    ["audit", "list", "--target", "acme"],
    ["listen", "--forward", "http://127.0.0.1:1/"],
    ["listen", "--forward", "nowhere", "--secret-env", "PATH"],
    ["profile", "add", "p"],
    ["profile", "add", "../p", "--api", "http://a.example"],
    ["channel", "list", "--profile", "none"],
    ["channel", "list", "--api", "nowhere"],
    ["publish", "site.paid", "--kafka", "nowhere", "--channel", "a"],
  ]
  for (const args of uses) {
    const { code, stdout, stderr } = await runCommand(args)
    expect(code, args.join(" ")).toBe(2)
    expect(stderr).not.toBe("")
    const asJson = await runCommand([...args, "--json"])
    expect(JSON.parse(asJson.stderr)).toEqual({
      type: "about:blank",
      title: expect.stringMatching(/^[^(]/),
      exit_code: 2,
    })
    expect(stdout + stderr + asJson.stdout + asJson.stderr).not.toContain("AAAA")
  }
})

test("Kafka credentials are read from the environment, except for the local stack", async () => {
  const publish = (env: Record<string, string>, cwd?: string) =>
    runCommand(["publish", "site.paid", "--channel", "acme"], { env, ...(cwd === undefined ? {} : { cwd }) })
  const half = { KAFKA_PASSWORD: "never shown" }
  expect(await publish({ KAFKA_BROKERS: closed, ...half })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("only one of KAFKA_USERNAME and KAFKA_PASSWORD is set"),
  })
  const wrong = await publish({ KAFKA_BROKERS: closed, KAFKA_TLS: "true", KAFKA_CA: "never shown" })
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("KAFKA_CA: must be the text of a certificate"),
  })
  expect(wrong.stderr).not.toContain("never shown")
  expect(await publish(half, await folderWith(stack))).toMatchObject({ code: 3 })
})

/** A folder with a `.sitewire/local.json` of this content. */
async function folderWith(content: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-cli-"))
  await mkdir(join(folder, ".sitewire"))
  await writeFile(join(folder, ".sitewire", "local.json"), JSON.stringify(content))
  return folder
}

/** An API that responds to every request with `body`, and records the keys and paths that it receives. */
async function recordingApi(body = '{"data":[],"next_cursor":null}', status = 200) {
  const keys: (string | undefined)[] = []
  const paths: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    paths.push(request.url?.replace(/\?.*/, ""))
    response.writeHead(status).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { keys, paths, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
