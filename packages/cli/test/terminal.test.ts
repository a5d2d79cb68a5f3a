import type { Job } from "@sitewire/contracts"
import { expect, onTestFinished, test } from "vitest"
import { type Received, startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const counted = { dry_run: true, matching: 40, left_out: 0, complete: true }
const resend = ["delivery", "resend-all", "--channel", "acme", "--reason", "r"]

/** An API with a job that is done at the third reading. */
async function startJobs() {
  let readings = 0
  const respond = ({ method, body }: Received): object => {
    if (method === "POST") return JSON.parse(body.toString()).dry_run ? counted : runningJob
    readings += 1
    const done: Job["state"] = readings === 3 ? "done" : "running"
    return { ...runningJob, state: done, counts: { resent: readings === 3 ? 40 : 10 * readings } }
  }
  const api = await startReceiver((request, response) => response.end(JSON.stringify(respond(request))))
  onTestFinished(() => api.close())
  const created = () =>
    api.received.filter(({ method, body }) => method === "POST" && !JSON.parse(body.toString()).dry_run)
  return { env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }, api, created }
}

test("before an irreversible operation, a terminal asks and says how much it concerns", async () => {
  const { env, created } = await startJobs()
  const refused = await runCommand(resend, { env, terminal: true, input: "n\n" })
  expect(refused).toMatchObject({ code: 1, stdout: "" })
  expect(refused.stderr).toContain("Resend 40 deliveries? ")
  expect(refused.stderr).toContain("Not confirmed, so nothing was changed.")
  expect(created()).toHaveLength(0)
  expect(await runCommand(resend, { env, terminal: true, input: "y\n" })).toMatchObject({ code: 0 })
  expect(created()).toHaveLength(1)
})

test("without a terminal, it needs --yes, and nothing is requested before", async () => {
  const { env, api, created } = await startJobs()
  const refused = await runCommand(resend, { env })
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --yes") })
  expect(api.received).toHaveLength(0)
  expect(await runCommand([...resend, "--yes"], { env })).toMatchObject({ code: 0 })
  expect(created()).toHaveLength(1)
})

test("--wait draws a bar on a terminal, and writes lines otherwise", async () => {
  const { env } = await startJobs()
  const bar = await runCommand([...resend, "--yes", "--wait"], { env, terminal: true })
  expect(bar.code).toBe(0)
  const drawn = bar.stderr.replaceAll("\u001b[K", "|")
  expect(drawn).toMatch(/\r\[#{6}-{18}\] 25 % resent 10 \(about .* left\)\|/)
  expect(drawn).toMatch(/\r\[#{24}\] 100 % resent 40 .*\r\|$/)
  const lines = await runCommand([...resend, "--yes", "--wait"], { env: (await startJobs()).env })
  expect(lines.stderr).toBe("job_8c1f0e has started.\nresent 10\nresent 20\nresent 40\n")
  const json = await runCommand([...resend, "--yes", "--wait", "--json"], {
    env: (await startJobs()).env,
    terminal: true,
  })
  expect({ ...json, stdout: JSON.parse(json.stdout).state }).toEqual({ code: 0, stdout: "done", stderr: "" })
})

test("colours are used on a terminal only, and --no-color and NO_COLOR switch them off", async () => {
  const api = await startReceiver((_, response) => response.end(JSON.stringify(runningJob)))
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  const show = ["job", "show", "job_8c1f0e"]
  const colour = "\u001b["
  expect((await runCommand(show, { env, terminal: true })).stdout).toContain(colour)
  const plain = await Promise.all([
    runCommand(show, { env }),
    runCommand([...show, "--no-color"], { env, terminal: true }),
    runCommand(show, { env: { ...env, NO_COLOR: "1" }, terminal: true }),
    runCommand(show, { env: { ...env, TERM: "dumb" }, terminal: true }),
  ])
  for (const { code, stdout } of plain) {
    expect(code).toBe(0)
    expect(stdout).not.toContain(colour)
  }
  const error = await runCommand(["job", "show", "x", "--api", "nowhere", "--no-color"], {
    env,
    terminal: true,
  })
  expect(error.stderr).toMatch(/^error: /)
})
