import type { Style } from "../output/style.ts"
import type { Explanation } from "./explainSignature.ts"
import type { Match, Mismatch } from "./explainMismatch.ts"

/** An explanation for people: the verdict on the first line, the cause and what to do below it. */
export function describe(explanation: Explanation, style: Style): string {
  const invalid = (reason: string) => style.paint("red", `invalid: ${reason}`)
  const { bytes, sha256 } = explanation.body
  const body = `${style.paint("dim", "body:")} ${bytes} bytes, sha256 ${sha256}`
  if (explanation.valid) return `${style.paint("green", "valid")}\n${body}`
  if (explanation.reason === "missing") {
    return `${invalid("the header is missing")}\nA message without a signature is not to be trusted, whatever its body.`
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
  matches: "Written so, it would match.",
  mismatch: "Written so, it would still not match this body and secret.",
  unknown: "What it was meant to be cannot be told.",
}

const emptyBody = "The body is empty: was it read before, so that nothing was left of the stream?"

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
    ...(lines.length > 0 ? ["Nor would it match with", ...lines] : []),
    "So it is another secret or another body:",
    "  - compare the sha256 above with body_sha256 of `sitewire delivery show`: if they differ, it is the body",
    "  - if they are equal it is the secret: of another channel, or one that has been replaced",
  ]
}
