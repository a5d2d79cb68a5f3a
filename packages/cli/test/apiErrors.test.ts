import type { Problem } from "@sitewire/contracts"
import { expect, onTestFinished, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

/** Runs a command with an API that responds to every request with a problem. */
async function reject(words: string, more: Pick<Problem, "detail" | "errors">, args: string[] = []) {
  const problem = { type: "about:blank", code: "invalid", title: "Invalid request", status: 400, ...more }
  const api = await startReceiver((_, response) => response.writeHead(400).end(JSON.stringify(problem)))
  onTestFinished(() => api.close())
  const env = { SITEWIRE_API: api.url, SITEWIRE_API_KEY: "swk_k" }
  return { problem, ...(await runCommand([...words.split(" "), ...args], { env })) }
}

test.each([
  ["reconcile --from 8d", "created_after", "must be at most 7d ago", "--from must be at most 7d ago"],
  [
    "delivery list --site x",
    "site_url",
    "must be an http or https URL",
    "--site must be an http or https URL",
  ],
  [
    "delivery list",
    "created_after",
    "must be earlier than created_before",
    "--after must be earlier than --before",
  ],
  [
    "event replay --after 1h --reason r --yes",
    "per_second",
    "must be at most 1000",
    "--per-second must be at most 1000",
  ],
  ["erasure create --site x --reason r --yes", "reason", "must not contain", "--reason must not contain"],
  ["connection list", "q", "must not be empty", "--search must not be empty"],
  // Commands without such an option show the field.
  ["job list", "created_after", "is invalid", "created_after is invalid"],
])("%s names the option in place of %s", async (words, field, rule, expected) => {
  const detail = "The request's query is invalid. Correct these fields and try again."
  const errors = [{ field, message: `${field} ${rule}` }]
  const { code, stderr } = await reject(words, { detail, errors })
  const [first, second] = stderr.trimEnd().split("\n")
  expect({ code, first, second }).toEqual({
    code: 1,
    first:
      "error: Invalid request (400): The request's query is invalid. Correct this and repeat the command.",
    second: `  ${expected}`,
  })
})

test.each([
  ['There is no job "x". GET /v1/jobs lists all jobs.', "`sitewire job list` lists all jobs."],
  [
    "POST /v1/channels/{id}/test sends test deliveries meanwhile.",
    "`sitewire channel test` sends test deliveries",
  ],
  ["GET /v1/syncs?connection=a-b lists its syncs.", "`sitewire sync list a-b` lists its syncs."],
  ["GET /v1/channels/{id}/secret/staged shows it until", "`sitewire channel secret show` shows it until"],
  ['There is no incident "x". GET /v1/incidents lists all', "`sitewire incident list` lists all"],
  ["GET /v1/incidents?state=open lists those", "`sitewire incident list --state open` lists those"],
  ["DELETE /v1/keys/key_1 revokes this key", "`sitewire key revoke key_1` revokes this key"],
])("%s names a command", async (detail, expected) => {
  const { stderr } = await reject("job list", { detail })
  expect(stderr).toContain(expected)
  expect(stderr).not.toContain("/v1/")
})

test.each([
  ["With force=true they become dead.", "With --force they become dead."],
  ["test it again, or repeat this request with force=true.", "or repeat the command with --force."],
])("%s names the option", async (detail, expected) => {
  const { stderr } = await reject("channel delete acme --yes", { detail })
  expect(stderr).toContain(expected)
})

test("with --json, an error is the API's problem document, unchanged", async () => {
  const errors = [{ field: "created_after", message: "created_after must be at most 7d ago" }]
  const { stderr, problem } = await reject("reconcile --from 8d", { detail: "GET /v1/jobs lists", errors }, [
    "--json",
  ])
  expect(JSON.parse(stderr)).toEqual(problem)
})
