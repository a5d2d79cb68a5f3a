import { escapeLines, formatJson } from "../output/escapeControls.ts"
import { createStyle, usesColour } from "../output/style.ts"
import type { Failure } from "./failure.ts"
import { redactSecrets } from "./refuseSecrets.ts"

/**
 * Writes JSON if `args` contain --json. The parsed options are not used, because commander may have failed to
 * parse `args`.
 */
export function writeFailure(
  failure: Failure,
  args: readonly string[],
  { stderr, env }: { stderr: NodeJS.WriteStream; env: NodeJS.ProcessEnv },
): void {
  const { problem, message, exitCode } = failure
  if (args.includes("--json")) {
    const json = problem ?? { type: "about:blank", title: message, exit_code: exitCode }
    stderr.write(`${redactSecrets(formatJson(json))}\n`)
  } else {
    const text = redactSecrets(escapeLines(message))
    const style = createStyle({ colour: usesColour(stderr, env) && !args.includes("--no-color") })
    stderr.write(`${style.paint("red", "error:")} ${text}\n`)
  }
}
