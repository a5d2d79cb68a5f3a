import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { openPool } from "@sitewire/database"
import { freshDatabase, freshTopics, postgresAddress, waitUntil } from "@sitewire/testkit"
import { findProgram } from "@sitewire/testkit/findProgram"
import { interruptNetwork } from "@sitewire/testkit/interruptNetwork"
import { expect, onTestFinished, test } from "vitest"
import { addConnection, pathOf } from "./fixtures/connections.ts"
import { runGateway } from "./fixtures/runGateway.ts"

/** The text of the only match in a document of the repository. */
async function read(path: string, pattern: RegExp): Promise<string> {
  const text = await readFile(new URL(`../../../${path}`, import.meta.url), "utf8")
  const code = pattern.exec(text)?.[1]
  if (code === undefined) throw new Error(`${path} has no ${pattern}`)
  return code
}

/** What the documents recommend, as arguments of a program. The languages that need no build; the kit tests the others. */
const documented: Record<string, string[]> = {
  sh: ["-c", await read("docs/partners.md", /^(curl .*--retry.*"\$TRIGGER_URL")$/m)],
  [process.execPath]: [
    "--input-type=module-typescript",
    "--eval",
    `${await read("packages/signing/README.md", /^```ts trigger\n(.*?)^```/ms)}; await callTrigger(process.env.TRIGGER_URL)`,
  ],
  python3: [
    "-c",
    `${await read("kit/python/README.md", /^```python trigger\n(.*?)^```/ms)}\nimport os\ncall_trigger(os.environ["TRIGGER_URL"])`,
  ],
  ruby: [
    "-e",
    `${await read("kit/ruby/README.md", /^```ruby trigger\n(.*?)^```/ms)}; call_trigger(ENV["TRIGGER_URL"])`,
  ],
  php: [
    "-r",
    `${await read("kit/php/README.md", /^```php trigger\n(.*?)^```/ms)} callTrigger(getenv("TRIGGER_URL"));`,
  ],
}

function isInstalled(program: string): boolean {
  if (program === process.execPath) return true
  try {
    return findProgram(program, "Install it.") !== ""
  } catch {
    return false
  }
}

/** Calls the URL with a program. Resolves with its exit code and all that it printed. */
function call(program: string, url: string): Promise<{ code: number; output: string }> {
  const env = { ...process.env, TRIGGER_URL: url }
  return new Promise((resolve) => {
    execFile(program, documented[program], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })
}

test("each documented call waits for Retry-After after a 503 and is accepted, and does not repeat a 404", async () => {
  const database = await freshDatabase()
  onTestFinished(database.drop)
  const pool = openPool({ url: database.url, size: 1, name: "gateway-tests" })
  const { path } = await addConnection(pool.sql, "documented")
  await pool.close()
  const network = interruptNetwork(Number(new URL(postgresAddress()).port))
  const topic = (await freshTopics()).names.connectorTriggered
  const running = await runGateway({ databaseUrl: database.url, topic })
  onTestFinished(running.close)
  const requests = (outcome: string) => running.metric(`sitewire_triggers_total{outcome="${outcome}"`)
  const programs = Object.keys(documented).filter(isInstalled)

  network.cut()
  await waitUntil("the gateway to be unready", () => !running.readiness().ready)
  const calling = programs.map(async (program) => {
    const startedAt = performance.now()
    return { program, ...(await call(program, running.gateway + path)), ms: performance.now() - startedAt }
  })
  await waitUntil("a 503 for each", async () => (await requests("unavailable")) >= programs.length)
  network.restore()
  for (const { program, code, output, ms } of await Promise.all(calling)) {
    expect(code, `${program}: ${output}`).toBe(0)
    // Without Retry-After, curl would wait for 1 s, and the others for a minute.
    expect(ms, program).toBeGreaterThanOrEqual(5_000)
    expect(ms, program).toBeLessThan(50_000)
  }
  // A function whose response is lost calls again, and the gateway accepts it twice.
  expect(await requests("accepted")).toBeGreaterThanOrEqual(programs.length)

  const token = "replaced"
  for (const program of programs) {
    const { code, output } = await call(program, running.gateway + pathOf("documented", token))
    expect(code, program).not.toBe(0)
    expect(output, program).toContain("404")
    expect(output, program).not.toContain(token)
  }
  expect(await requests("not_found")).toBe(programs.length)
})
