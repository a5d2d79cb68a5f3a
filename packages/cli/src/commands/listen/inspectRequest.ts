import type { Received } from "@sitewire/receiver"
import { escapeControls, formatJson } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"
import { describeExplanation } from "../../signature/describeExplanation.ts"
import { type Explanation, explainSignature } from "../../signature/explainSignature.ts"

type InspectedRequest = {
  at: string
  method: string
  path: string
  headers: Received["headers"]
  body: string
  /** Null if there is no secret to check the signature with. */
  signature: Explanation | null
}

export function inspectRequest(request: Received, secret: Buffer | null): InspectedRequest {
  const { at, method, path, headers, body } = request
  // The signature is in the header X-<Service>-Signature. The service's name is configurable, so any is
  // accepted.
  const name = Object.keys(headers).find((header) => /^x-[a-z0-9]+-signature$/.test(header))
  const header = String(headers[name ?? ""] ?? "")
  return {
    at: new Date(at).toISOString(),
    method,
    path,
    headers,
    body: body.toString(),
    signature: secret && explainSignature({ body, secret, header }),
  }
}

export function describeRequest(request: InspectedRequest, style: Style): string {
  const { at, method, path, headers, body, signature } = request
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `${style.paint("dim", `${name}:`)} ${escapeControls(String(value))}`,
  )
  const verdict = signature
    ? describeExplanation(signature, style)
    : "not checked: give the secret with --secret-env or --secret-file"
  return [
    `${style.paint("bold", `${method} ${escapeControls(path)}`)}  ${style.time(at)}`,
    ...headerLines,
    `${style.paint("dim", "signature:")} ${verdict}`,
    formatBody(body),
    "",
  ].join("\n")
}

function formatBody(body: string): string {
  try {
    return formatJson(JSON.parse(body))
  } catch {
    return escapeControls(body)
  }
}
