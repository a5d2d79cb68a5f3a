import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { CodeBlock, Page } from "../page.ts"

/** HTML comments that mark the shell example below them, and state which command runs it as a test. */
export const markers = {
  /** The example needs no running system. */
  check: "tested by npm run check",
  /** The example needs a running system, which a test of this package starts. */
  test: "tested by npm test",
  /** Like `test`, but the example runs until it is stopped: it is a webhook receiver. */
  testInBackground: "tested by npm test, runs until stopped",
} as const

export type Example = {
  script: string
  where: string
  inBackground: boolean
  /** Lines that the example must print: the `text` block directly behind it. `…` stands for any text. */
  expected: string | null
}

export function findExamples(page: Page, wanted: readonly string[]): Example[] {
  return page.codeBlocks.flatMap((block, index) => {
    if (block.marker === null || !wanted.includes(block.marker)) return []
    const inBackground = block.marker === markers.testInBackground
    const expected = isDirectlyBehind(page, block, page.codeBlocks[index + 1])
      ? (page.codeBlocks[index + 1]?.text ?? null)
      : null
    return [{ script: block.text, where: `${page.path}:${block.line}`, inBackground, expected }]
  })
}

/** Problems with misspelt markers, because an example with a misspelt marker would never run. */
export function findUnknownMarkers(page: Page): string[] {
  const known: readonly string[] = Object.values(markers)
  return page.codeBlocks
    .filter(({ marker }) => marker?.startsWith("tested") && !known.includes(marker))
    .map(({ marker, line }) => `${page.path}:${line}: "${marker}" is none of: ${known.join("; ")}`)
}

function isDirectlyBehind({ text }: Page, { line, text: code }: CodeBlock, next?: CodeBlock): boolean {
  if (next?.language !== "text") return false
  const between = text.split("\n").slice(line + code.split("\n").length, next.line - 1)
  return between.every((inner) => inner.trim() === "" || /:$/.test(inner.trim()))
}

/** True if the output contains each expected line, in any order and with any text around the line. */
export function isPrinted(expected: string, output: string): boolean {
  return expected
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .every((line) => new RegExp(line.split("…").map(escapeText).join(".*")).test(output))
}

function escapeText(text: string): string {
  return text.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}

const cli = fileURLToPath(new URL("../../../../../cli/src/main.ts", import.meta.url))

/**
 * Shell functions `sitewire` and `npm`. The latter runs only the command of `npm run sitewire`. The script of that
 * name would first compare the installed packages with the lock file, and could replace packages while tests run.
 */
const withoutInstalling = `sitewire() {
  node "${cli}" "$@"
}
npm() {
  [ "$1 $2 $3 $4" = "run --silent sitewire --" ] || { echo "an example runs npm $*" >&2; return 1; }
  shift 4
  sitewire "$@"
}
`

export function startExample({ script }: Example, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn("bash", ["-euo", "pipefail", "-c", withoutInstalling + script], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  }
  const ended = once(child, "close").then(([code]) => code as number | null)
  return {
    ended,
    output: () => output,
    /** Ends the example's whole process group, because bash alone would leave a receiver running. */
    stop() {
      if (child.exitCode === null && child.signalCode === null && child.pid)
        process.kill(-child.pid, "SIGTERM")
      return ended
    },
  }
}

const longestMs = 60_000

export async function runExample(
  example: Example,
  surroundings: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ problem: string | null; output: string }> {
  const running = startExample(example, surroundings)
  const timer = setTimeout(() => void running.stop(), longestMs)
  const code = await running.ended
  clearTimeout(timer)
  const output = running.output()
  return { problem: judge(example, code, output), output }
}

function judge({ where, expected }: Example, code: number | null, output: string): string | null {
  if (code !== 0) return `${where}: the example ends with ${code ?? "a signal"}:\n${output}`
  if (expected === null || isPrinted(expected, output)) return null
  return `${where}: the example does not print what the page shows, but:\n${output}`
}
