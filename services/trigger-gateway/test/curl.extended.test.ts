import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, postgresAddress, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { addConnection, pathOf } from "./fixtures/connections.ts"
import { interruptNetwork } from "./fixtures/interruptNetwork.ts"
import { runGateway } from "./fixtures/runGateway.ts"

/** The command that docs/partners.md recommends. */
async function readCommand(): Promise<string> {
  const text = await readFile(new URL("../../../docs/partners.md", import.meta.url), "utf8")
  return /^curl .*--retry.*"\$TRIGGER_URL"$/m.exec(text)?.[0] ?? ""
}

/** Runs the command with this URL; resolves with its output and exit code. */
async function run(command: string, url: string) {
  const child = spawn("sh", ["-c", command], { env: { ...process.env, TRIGGER_URL: url } })
  let output = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  const [code] = await once(child, "close")
  return { output, code }
}

test("the documented curl command waits for Retry-After after a 503 and is accepted, and does not repeat a 404", async () => {
  const database = await freshDatabase()
  onTestFinished(database.drop)
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const { path } = await addConnection(pool.sql, "curl")
  await pool.close()
  const network = interruptNetwork(Number(new URL(postgresAddress()).port))
  const topic = (await freshTopics()).names.connectorTriggered
  const running = await runGateway({ databaseUrl: database.url, topic })
  onTestFinished(running.close)
  const command = await readCommand()
  const requests = (outcome: string) => running.metric(`sitewire_triggers_total{outcome="${outcome}"`)

  network.cut()
  await waitUntil("the gateway to be unready", () => !running.readiness().ready)
  const startedAt = performance.now()
  const calling = run(command, running.gateway + path)
  await waitUntil("a 503", async () => (await requests("unavailable")) > 0)
  network.restore()
  expect(await calling).toEqual({ output: "202\n", code: 0 })
  // Without Retry-After, curl would wait for 1 s.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(5_000)

  expect(await run(command, running.gateway + pathOf("curl", "replaced"))).toMatchObject({ code: 22 })
  expect(await requests("not_found")).toBe(1)
})
