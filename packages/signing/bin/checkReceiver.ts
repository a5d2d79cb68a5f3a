import { certify, explanations, type Finding, type PointResult } from "../src/certification/index.ts"
import { escapeControls } from "./escapeControls.ts"
import { openReceiver, timeoutMs } from "./openReceiver.ts"
import type { Target } from "./readTarget.ts"

const results: readonly PointResult[] = ["passed", "warning", "failed", "skipped"]
const indent = " ".repeat(9)

/** Certifies the receiver, and prints each point as soon as it is known. Returns 0 if none failed. */
export async function checkReceiver(
  target: Target,
  stdout: { write(text: string): unknown },
): Promise<number> {
  const receiver = openReceiver(target)
  const found: PointResult[] = []
  for await (const finding of certify(receiver, timeoutMs)) {
    found.push(finding.result)
    stdout.write(`${describe(finding)}\n\n`)
  }
  const count = (result: PointResult) => found.filter((one) => one === result).length
  stdout.write(`${results.map((result) => `${count(result)} ${result}`).join(", ")}.\n`)
  return count("failed") > 0 ? 1 : 0
}

function describe({ id, result, finding }: Finding): string {
  const { title, sent, why, fix } = explanations[id]
  const explained = result === "failed" || result === "warning"
  const lines = [
    escapeControls(finding),
    ...(explained ? [`Sent: ${sent}`, `Why:  ${why}`, `Fix:  ${fix}`] : []),
  ]
  return [`${result.padEnd(indent.length)}${title}`, ...lines.map((line) => `${indent}${line}`)].join("\n")
}
