import { z } from "zod"
import { escapeControls, formatJson } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"
import type { Received } from "../../receivers/index.ts"
import { describeExplanation } from "../../signature/describeExplanation.ts"
import { explainSignature, explanationSchema } from "../../signature/explainSignature.ts"
import { type Forwarded, forwardedSchema } from "./forwardDelivery.ts"

export const inspectedRequestSchema = z
  .object({
    at: z.iso.datetime(),
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())]).optional()),
    body: z.string(),
    /** Null if there is no secret to check the signature with. */
    signature: explanationSchema.nullable(),
    /** Null if the request was not forwarded. */
    forwarded: forwardedSchema.nullable(),
  })
  .meta({ id: "InspectedRequest" })

type InspectedRequest = z.infer<typeof inspectedRequestSchema>

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
    forwarded: null,
  }
}

export function describeRequest(request: InspectedRequest, style: Style): string {
  const { at, method, path, headers, body, signature, forwarded } = request
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
    ...(forwarded ? [describeForwarded(forwarded, style)] : []),
    "",
  ].join("\n")
}

function describeForwarded({ status, ms, error, body }: Forwarded, style: Style): string {
  const colour = status !== null && status >= 200 && status < 300 ? "green" : "red"
  const outcome = style.paint(colour, status === null ? `no response: ${error}` : String(status))
  const line = `${style.paint("dim", "forwarded:")} ${outcome} in ${ms} ms`
  return body === "" ? line : `${line}\n${escapeControls(body)}`
}

function formatBody(body: string): string {
  try {
    return formatJson(JSON.parse(body))
  } catch {
    return escapeControls(body)
  }
}
