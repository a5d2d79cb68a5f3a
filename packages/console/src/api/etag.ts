import { sha256 } from "@sitewire/contracts"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"

/** The ETag of a resource: a hash of its JSON, so that it changes with every visible change. */
export function etagOf(body: unknown): string {
  return `"${sha256(JSON.stringify(body)).toString("base64url").slice(0, 22)}"`
}

export function matchesEtag(header: string, etag: string): boolean {
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return tags.includes(etag) || tags.includes("*")
}

/** Returns a problem if the request has an If-Match header and the resource has another ETag. */
export function checkIfMatch(header: string | undefined, etag: string): Problem | null {
  if (header === undefined || matchesEtag(header, etag)) return null
  return problem(
    "changed-meanwhile",
    "The resource has changed since you read it, so nothing was written. Read it again, and repeat the change with its new ETag.",
  )
}
