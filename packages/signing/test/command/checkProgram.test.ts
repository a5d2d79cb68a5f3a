import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { command } from "./receivers.ts"

const vectors = fileURLToPath(new URL("../../../../kit/vectors/deliveries.json", import.meta.url))
const count = JSON.parse(readFileSync(vectors, "utf8")).length

/** A program that knows the answers. `change` is an expression of `answer`, its number `at` and the `question`. */
const program = (change: string) => `
const answers = new Map(require(${JSON.stringify(vectors)}).map(({ name, event, fault }) => [name, event ? { event } : { fault }]))
let at = 0
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line)
  const answer = answers.get(question.name)
  console.log(((at) => ${change})(at++))
})`

const check = (change: string) => command("check", "--", process.execPath, "-e", program(change))

test("a program whose answers are right passes, and is not told them", async () => {
  const { code, output } = await check(
    "Object.keys(question).join() === 'name,scheme,now,secrets,headers,body' ? JSON.stringify(answer) : 'told'",
  )
  expect(output).toBe(`${count} of ${count} vectors hold.\n`)
  expect(code).toBe(0)
})

test("a program that answers only when its input has ended passes", async () => {
  const script = `require("node:stream/consumers").text(process.stdin).then((input) => {
    const answers = new Map(require(${JSON.stringify(vectors)}).map(({ name, event, fault }) => [name, event ? { event } : { fault }]))
    console.log(input.trim().split("\\n").map((line) => JSON.stringify(answers.get(JSON.parse(line).name))).join("\\n"))
  })`
  expect(await command("check", "--", process.execPath, "-e", script)).toMatchObject({ code: 0 })
})

test.each([
  ["a wrong fault", "JSON.stringify(at === 2 ? { fault: 'outdated' } : answer)"],
  ["a wrong event", "JSON.stringify(at === 0 ? { event: { ...answer.event, name: 'x' } } : answer)"],
  [
    "an event with a ninth field",
    "JSON.stringify(at === 0 ? { event: { ...answer.event, x: 'x' } } : answer)",
  ],
  ["an event beside a fault", "JSON.stringify(answer.fault && at < 3 ? { ...answer, event: {} } : answer)"],
  ["what is no JSON", "at === 0 ? 'valid' : JSON.stringify(answer)"],
  ["null", "at === 0 ? null : JSON.stringify(answer)"],
])("a program that answers %s once fails one vector", async (_, change) => {
  const { code, output } = await check(change)
  expect(output).toContain(`${count - 1} of ${count} vectors hold.`)
  expect(output.match(/^failed {2}/gm)).toHaveLength(1)
  expect(output).toContain("Expected {")
  expect(code).toBe(1)
})

test("a program that ends early fails all vectors that it did not answer, and its exit code is shown", async () => {
  const { code, output } = await check("at === 5 ? process.exit(3) : JSON.stringify(answer)")
  expect(output).toContain("it ended with exit code 3")
  expect(output).toContain(`5 of ${count} vectors hold.`)
  expect(code).toBe(1)
})

test("a program that writes more lines than it was asked fails", async () => {
  const { code, output } = await check("JSON.stringify(answer) + (at === 9 ? '\\n{}' : '')")
  expect(output).toContain("1 lines more")
  expect(code).toBe(1)
})

test("a program that cannot be started is incorrect usage", async () => {
  await expect(command("check", "--", "/no/such/program")).rejects.toThrow("cannot be started (ENOENT)")
})
