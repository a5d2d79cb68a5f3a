#!/usr/bin/env node
import { failed } from "./errors/failure.ts"
import { run, tellFailure } from "./run.ts"

const { stdout, stderr } = process
const args = process.argv.slice(2)

// Whoever reads the output may stop early (`sitewire deliveries | head`): that is no failure.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  const failure = failed(
    `Standard output cannot be written (${error.code}), so the answer is lost, or part of it. What was asked for may have been ` +
      "done all the same: look before you ask again, and send the output to where there is room.",
  )
  tellFailure(failure, args, stderr)
  process.exit(failure.exitCode)
})

const { env, stdin } = process
const cwd = process.cwd()
// npm runs its scripts in the repository's folder, and says where it was called: file names are meant from there.
const filesFrom = env.npm_lifecycle_event === "sitewire" ? (env.INIT_CWD ?? cwd) : cwd
const exitCode = await run(args, { env, cwd, filesFrom, stdin, stdout, stderr })

// Said, not waited for: a send that Kafka never answered goes on retrying, and would keep the process for minutes.
const flushed = (stream: NodeJS.WriteStream) => new Promise((resolve) => stream.write("", resolve))
await Promise.all([stdout, stderr].map(flushed))
process.exit(exitCode)
