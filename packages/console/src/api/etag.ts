import { sha256 } from "@sitewire/contracts"
import { problem } from "./problems.ts"
import type { Problem } from "./response.ts"

/** The ETag of a resource: a hash of its JSON, so that it changes with every visible change. */
export function etagOf(body: unknown): string {
  return `"${sha256(JSON.stringify(body)).toString("base64url").slice(0, 22)}"`
}

export function matchesEtag(header: string, etag: string): boolean {
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return tags.includes(etag) || tags.includes("*")
}

/** Returns a problem if the request has an If-Match header and the resource is in another version. */
export function checkIfMatch(header: string | undefined, current: unknown): Problem | null {
  if (header === undefined || matchesEtag(header, etagOf(current))) return null
  return problem(
    "changed-meanwhile",
    "The resource has changed since you read it, so nothing was written. Read it again, and repeat the change with its new ETag.",
  )
}
