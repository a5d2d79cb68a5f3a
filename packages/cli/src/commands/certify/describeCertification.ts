import type { Certification, CertificationPoint, PointResult } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import { escapeLines } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"

const colours = { passed: "green", warning: "yellow", failed: "red", skipped: "dim" } as const
const resultWidth = Math.max(...Object.keys(colours).map((result) => result.length))

/** `passed   Rejects a forged signature` */
export function describePoint({ result, title }: CertificationPoint, style?: Style): string {
  const padded = result.padEnd(resultWidth)
  return `${style ? style.paint(colours[result], padded) : padded}  ${title}`
}

/** The report for a terminal: all points, with explanations of those that need a correction. */
export function describeCertification(certification: Certification, style: Style): string {
  const { id, channel, address, state, result, error, finished_at, points } = certification
  const facts = block(style, [
    ["certification", id],
    ["channel", channel],
    ["address", address],
    ["result", result ?? state],
    ["error", error],
    ["finished", finished_at && style.time(finished_at)],
  ])
  const details = points.map((point) =>
    [describePoint(point, style), ...explain(point).map((line) => indent(line))].join("\n"),
  )
  return [facts, ...details, summarise(certification)].filter((part) => part !== "").join("\n\n")
}

function explain({ result, finding, sent, why, fix, snippet }: CertificationPoint): string[] {
  if (result === "passed" || result === "skipped") return [finding]
  return [
    finding,
    `Sent:  ${sent}`,
    `Why:   ${why}`,
    ...(fix === null ? [] : [`Fix:   ${fix}`]),
    ...(snippet === null ? [] : [`\n${snippet.code.trimEnd().replaceAll("\t", "    ")}\n`]),
  ]
}

/** With indented lines. Findings contain text of the receiver. */
function indent(text: string): string {
  const space = " ".repeat(resultWidth + 2)
  return escapeLines(text)
    .split("\n")
    .map((line) => (line === "" ? "" : `${space}${line}`))
    .join("\n")
}

function summarise({ points, language }: Certification): string {
  if (points.length === 0) return ""
  const count = (result: PointResult) => points.filter((point) => point.result === result).length
  const counts = (["passed", "warning", "failed", "skipped"] as const).map(
    (result) => `${count(result)} ${result}`,
  )
  const hint =
    count("failed") > 0 && language === null ? " For code that fixes it, add --language, such as python." : ""
  return `${counts.join(", ")}.${hint}`
}
