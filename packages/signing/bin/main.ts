#!/usr/bin/env node
import { run } from "./run.ts"
import { UsageError } from "./usageError.ts"

try {
  process.exitCode = await run(process.argv.slice(2), { env: process.env, stdout: process.stdout })
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`error: ${error.message}\nRun it with --help to see its arguments and options.\n`)
  process.exitCode = 2
}
