import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { isDeepStrictEqual } from "node:util"
import { escapeControls } from "./escapeControls.ts"
import { readVectors, type Vector } from "./readVectors.ts"
import { UsageError } from "./usageError.ts"

const timeoutMs = 60_000
const shownLength = 300

/**
 * Gives the program all vectors, and compares its answers. The input ends at once, so that a program whose output is buffered
 * answers at its end. Returns 0 if every answer is right.
 */
export async function checkProgram(
  [command, ...args]: readonly string[],
  stdout: { write(text: string): unknown },
): Promise<number> {
  if (command === undefined)
    throw new UsageError("Write the program after --, such as: check -- python3 verify.py")
  const vectors = readVectors()
  const { answers, end } = await ask(command, args, vectors)
  let held = 0
  for (const [at, vector] of vectors.entries()) {
    const problem = judge(vector, answers[at], end)
    if (problem === null) held += 1
    else stdout.write(`failed  ${vector.name}\n        ${vector.why}\n        ${problem}\n\n`)
    // The program has ended: the rest has no answer, either.
    if (answers[at] === undefined) break
  }
  const surplus = answers.length - vectors.length
  if (surplus > 0) stdout.write(`failed  The program wrote ${surplus} lines more than there are vectors.\n\n`)
  stdout.write(`${held} of ${vectors.length} vectors hold.\n`)
  return held < vectors.length || surplus > 0 ? 1 : 0
}

/** Without what the program must find out. */
function asked({ name, scheme, now, secrets, headers, body }: Vector): string {
  return `${JSON.stringify({ name, scheme, now, secrets, headers, body })}\n`
}

async function ask(
  command: string,
  args: readonly string[],
  vectors: readonly Vector[],
): Promise<{ answers: string[]; end: string }> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
  const answers: string[] = []
  const lines = createInterface(child.stdout)
  lines.on("line", (line) => answers.push(line))
  // A program that ends early does not read the rest.
  child.stdin.on("error", () => {})
  child.stdin.end(vectors.map(asked).join(""))
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.kill("SIGKILL")
  }, timeoutMs)
  try {
    const [code, signal] = await once(child, "close")
    if (late) return { answers, end: `it was still running after ${timeoutMs / 1_000} s` }
    return { answers, end: `it ended with ${signal ?? `exit code ${code}`}` }
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code
    throw new UsageError(
      `The program after -- cannot be started (${reason}). Check its name and its permissions.`,
    )
  } finally {
    clearTimeout(timer)
  }
}

/** Null: the answer is right. */
function judge(vector: Vector, line: string | undefined, end: string): string | null {
  const expected = "event" in vector ? { event: vector.event } : { fault: vector.fault }
  if (line === undefined) return `There was no answer to this vector or any later one: ${end}.`
  const answer = parse(line)
  const right =
    "event" in expected
      ? isDeepStrictEqual(answer, expected)
      : answer?.fault === expected.fault && !("event" in answer)
  return right
    ? null
    : `Expected ${JSON.stringify(expected)}, but it answered ${escapeControls(line.slice(0, shownLength))}`
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}
