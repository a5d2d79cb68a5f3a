import type { Variables } from "./config.ts"
import { describeVariables, formatHelp } from "./describeVariables.ts"

/** Does nothing without `--help`. `--help --json` is for programs. */
export function printHelp(name: string, variables: Variables): void {
  if (!process.argv.includes("--help")) return
  const asJson = process.argv.includes("--json")
  process.stdout.write(
    asJson ? `${JSON.stringify(describeVariables(variables))}\n` : formatHelp(name, variables),
  )
  process.exit(0)
}
