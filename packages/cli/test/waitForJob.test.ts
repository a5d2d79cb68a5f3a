import type { ServerResponse } from "node:http"
import { startReceiver } from "@sitewire/receiver"
import { expect, onTestFinished, test } from "vitest"
import { runCli } from "./fixtures/runCli.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const away = {
  type: "about:blank",
  title: "Service Unavailable",
  status: 503,
  detail: "The database is away.",
}

test("a wait that breaks off names the job, which goes on, and how to see how far it is", async () => {
  const howToLook = `sitewire job show ${runningJob.id}`
  const cut = await waiting((response) => response.destroy())
  expect(cut).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining(howToLook) })
  expect(JSON.parse(cut.stderr)).toMatchObject({ title: expect.stringContaining(howToLook), exit_code: 3 })
  const refused = await waiting((response) => response.writeHead(503).end(JSON.stringify(away)))
  expect(refused).toMatchObject({ code: 1, stdout: "" })
  expect(JSON.parse(refused.stderr)).toEqual({
    ...away,
    detail: expect.stringMatching(`^${away.detail} .*${howToLook}$`),
  })
})

/** Waits for a job of an API that makes it, and answers so when it is asked how far it is. */
async function waiting(answer: (response: ServerResponse) => void) {
  const api = await startReceiver(({ method }, response) => {
    if (method === "POST") response.end(JSON.stringify(runningJob))
    else answer(response)
  })
  onTestFinished(() => api.close())
  return runCli(["resend", "--channel", "acme", "--reason", "r", "--wait", "--json"], {
    env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" },
  })
}
