import type { Job, Page, Problem } from "@sitewire/contracts"
import { startReceiver } from "@sitewire/receiver"
import { expect, onTestFinished, test } from "vitest"
import { runCli } from "./fixtures/runCli.ts"
import { runningJob } from "./fixtures/runningJob.ts"

const evil = "\u001b[2J\u001b]0;owned\u0007\u009b\u202e\u2066"
/** What a terminal obeys, in any of the ways that JSON or a text can bring it there. */
const obeyed = /[\p{Cc}\p{Bidi_Control}]/u
const withoutLineBreaks = (text: string) => text.replaceAll("\n", "")

test("no text of the API reaches the terminal as it is, and none fakes a line", async () => {
  const problem: Problem = {
    type: "about:blank",
    title: `Bad ${evil}`,
    status: 400,
    detail: `first\nerror: faked ${evil}`,
    errors: [{ field: evil, message: evil }],
  }
  const human = await asked(400, problem, [])
  expect(withoutLineBreaks(human.stderr)).not.toMatch(obeyed)
  expect(human.stderr).toContain("first\\nerror: faked \\u001b[2J")
  expect(human.stderr.trimEnd().split("\n")).toHaveLength(2)
  const json = await asked(400, problem, ["--json"])
  expect(withoutLineBreaks(json.stderr)).not.toMatch(obeyed)
  expect(JSON.parse(json.stderr)).toEqual(problem)
})

test("a note that quotes the API is plain too", async () => {
  const page: Page<Job> = { data: [runningJob], next_cursor: evil }
  const { stdout, stderr } = await asked(200, page, [])
  expect(stderr).toContain("--cursor \\u001b[2J")
  expect(withoutLineBreaks(stdout + stderr)).not.toMatch(obeyed)
})

/** `sitewire jobs` of an API that answers so. */
async function asked(status: number, answer: object, args: string[]) {
  const api = await startReceiver((_, response) => response.writeHead(status).end(JSON.stringify(answer)))
  onTestFinished(() => api.close())
  return runCli(["jobs", "--limit", "1", ...args], {
    env: { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" },
  })
}
