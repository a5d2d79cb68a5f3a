import type { ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const unavailable = {
  type: "about:blank",
  code: "x",
  title: "Service Unavailable",
  status: 503,
  detail: "The database is unavailable.",
}

test("if --wait fails, the error names the running job and the command that shows its progress", async () => {
  const showCommand = `sitewire job show ${runningJob.id}`
  const cut = await waitWith((response) => response.destroy())
  expect(cut).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(showCommand) })
  expect(JSON.parse(cut.stderr)).toMatchObject({ title: expect.stringContaining(showCommand), exit_code: 3 })
  const rejected = await waitWith((response) => response.writeHead(503).end(JSON.stringify(unavailable)))
  expect(rejected).toMatchObject({ code: 1, stdout: "" })
  expect(JSON.parse(rejected.stderr)).toEqual({
    ...unavailable,
    detail: expect.stringMatching(`^${unavailable.detail} .*${showCommand}$`),
  })
})

/** Waits for a job with an API that creates it, and responds to each poll with `respond`. */
async function waitWith(respond: (response: ServerResponse) => void) {
  const api = await startReceiver(({ method }, response) => {
    if (method === "POST") response.end(JSON.stringify(runningJob))
    else respond(response)
  })
  onTestFinished(() => api.close())
  return runCommand(
    ["delivery", "resend-all", "--channel", "acme", "--reason", "r", "--yes", "--wait", "--json"],
    {
      env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" },
    },
  )
}
