import type { Style } from "../output/style.ts"
import type { Match, Mismatch } from "./explainMismatch.ts"
import type { Explanation } from "./explainSignature.ts"

export function describeExplanation(explanation: Explanation, style: Style): string {
  const invalid = (reason: string) => style.paint("red", `invalid: ${reason}`)
  const { bytes, sha256 } = explanation.body
  const body = `${style.paint("dim", "body:")} ${bytes} bytes, sha256 ${sha256}`
  if (explanation.valid) return `${style.paint("green", "valid")}\n${body}`
  if (explanation.reason === "missing") {
    return `${invalid("the header is missing")}\nDo not trust a message without a signature, whatever its body.`
  }
  if (explanation.reason === "malformed") {
    return [
      invalid("the header is malformed"),
      ...explanation.faults.map((fault) => `  - ${fault}`),
      `It must be sha256= and 64 lowercase hexadecimal digits. ${corrected[explanation.corrected]}`,
      body,
    ].join("\n")
  }
  return [
    invalid("the secret did not sign these bytes"),
    body,
    ...(bytes === 0 ? [emptyBody] : []),
    "",
    ...(explanation.matches.length > 0
      ? explanation.matches.flatMap(describeMatch)
      : nothingMatches(explanation)),
  ].join("\n")
}

const corrected = {
  matches: "In that form it would match.",
  mismatch: "In that form it would still not match this body and secret.",
  unknown: "The intended value cannot be determined.",
}

const emptyBody = "The body is empty. Check whether something has already read the request's stream."

function describeMatch({ body, secret, advice }: Match): string[] {
  const changes = [body && `the body ${body}`, secret && `the secret ${secret}`].filter(
    (change) => change !== null,
  )
  return [`It would match with ${changes.join(" and ")}.`, ...advice.map((line) => `  ${line}`)]
}

function nothingMatches({ tried }: Mismatch): string[] {
  const list = (what: string, changes: string[]) =>
    changes.length > 0 ? [`  ${what} ${changes.join("; ")}`] : []
  const lines = [...list("the body", tried.body), ...list("the secret", tried.secret)]
  return [
    ...(lines.length > 0 ? ["It would not match with these changes either:", ...lines] : []),
    "So the secret or the body is a different one:",
    "  - compare the sha256 above with body_sha256 of `sitewire delivery reveal DELIVERY --json`: if they differ, the body is different",
    "  - if they are equal, the secret is different: it belongs to another channel, or was replaced",
  ]
}
