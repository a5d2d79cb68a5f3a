#!/usr/bin/env node
import "./node20.ts"
import { failed } from "./errors/failure.ts"
import { writeFailure } from "./errors/writeFailure.ts"
import { run } from "./run.ts"

const { stdout, stderr } = process
const args = process.argv.slice(2)

stdout.on("error", (error: NodeJS.ErrnoException) => {
  // EPIPE is expected: the reader of a pipe may stop early, as in `sitewire delivery list | head`.
  if (error.code === "EPIPE") process.exit(0)
  const failure = failed(
    `Standard output cannot be written (${error.code}), so some or all of the output is lost. ` +
      "The command may have taken effect: check before you repeat it, and redirect the output elsewhere.",
  )
  writeFailure(failure, args, process)
  process.exit(failure.exitCode)
})

const { env, stdin } = process
const cwd = process.cwd()
// npm runs scripts in the repository's folder; INIT_CWD is the folder in which the user called npm.
const inputFolder = env.npm_lifecycle_event === "sitewire" ? (env.INIT_CWD ?? cwd) : cwd

function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => controller.abort())
  return controller.signal
}

const exitCode = await run(args, { env, cwd, inputFolder, stdin, stdout, stderr, interrupted })

// The process exits explicitly. Otherwise it would run for minutes if Kafka does not respond, because the
// producer retries.
const flushed = (stream: NodeJS.WriteStream) => new Promise((resolve) => stream.write("", resolve))
await Promise.all([stdout, stderr].map(flushed))
process.exit(exitCode)
