import type { Job, Page, Problem } from "@sitewire/contracts"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const evil = "\u001b[2J\u001b]0;owned\u0007\u009b\u202e\u2066"
/** Characters that a terminal interprets instead of printing them. */
const controlCharacters = /[\p{Cc}\p{Bidi_Control}]/u
const withoutLineBreaks = (text: string) => text.replaceAll("\n", "")

test("control characters and line breaks in the API's errors are escaped", async () => {
  const problem: Problem = {
    type: "about:blank",
    code: "x",
    title: `Bad ${evil}`,
    status: 400,
    detail: `first\nerror: faked ${evil}`,
    errors: [{ field: evil, message: evil }],
  }
  const human = await listJobs(400, problem, [])
  expect(withoutLineBreaks(human.stderr)).not.toMatch(controlCharacters)
  expect(human.stderr).toContain("first\\nerror: faked \\u001b[2J")
  expect(human.stderr.trimEnd().split("\n")).toHaveLength(2)
  const json = await listJobs(400, problem, ["--json"])
  expect(withoutLineBreaks(json.stderr)).not.toMatch(controlCharacters)
  expect(JSON.parse(json.stderr)).toEqual(problem)
})

test("control characters in a note that quotes the API are escaped too", async () => {
  const page: Page<Job> = { data: [runningJob], next_cursor: evil }
  const { stdout, stderr } = await listJobs(200, page, [])
  expect(stderr).toContain("--cursor \\u001b[2J")
  expect(withoutLineBreaks(stdout + stderr)).not.toMatch(controlCharacters)
})

/** Runs `sitewire job list` with an API that responds to every request with this. */
async function listJobs(status: number, body: object, args: string[]) {
  const api = await startReceiver((_, response) => response.writeHead(status).end(JSON.stringify(body)))
  onTestFinished(() => api.close())
  return runCommand(["job", "list", "--limit", "1", ...args], {
    env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" },
  })
}
