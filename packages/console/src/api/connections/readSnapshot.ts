import type { PrismaClient } from "@sitewire/database/prisma"
import { z } from "zod"
import { notFound, problem } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"

export const readSnapshot = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/snapshot",
  operation: "readSnapshot",
  summary: "Read what a connection's last successful sync fetched",
  description: "The content as the source answered it, decoded, in the type that the source gave.",
  params: byId,
  success: {
    status: 200,
    description: "The content.",
    headers: z.object({
      etag: z.string().meta({ description: "SHA-256 of the content, in quotes." }),
      "last-modified": z.string().optional().meta({ description: "When the content was stored." }),
    }),
  },
  others: { 304: "The content still has the hash that If-None-Match names." },
  async handle({ prisma }, { params: { id }, headers, headOnly }) {
    const snapshot = await prisma.snapshot.findUnique({ where: { connectionId: id } })
    if (!snapshot) {
      const connection = await prisma.connection.findUnique({ where: { id }, select: { id: true } })
      if (!connection) return notFound("connection", id)
      return problem(404, `Nothing has been fetched for the connection "${id}" yet: see its syncs.`)
    }
    const etag = `"${Buffer.from(snapshot.contentSha256).toString("hex")}"`
    const about = { etag, "last-modified": snapshot.storedAt.toUTCString() }
    if (names(headers["if-none-match"], etag))
      return { kind: "stream", status: 304, headers: about, chunks: null }
    const chunks = headOnly ? null : await openChunks(prisma, snapshot)
    return {
      kind: "stream",
      status: 200,
      headers: {
        ...about,
        "content-type": safeType(snapshot.contentType),
        "content-length": String(snapshot.bytes),
        // A stranger's content under the console's origin: never to be shown as a page of ours.
        "content-disposition": "attachment",
        "content-security-policy": "sandbox; default-src 'none'",
      },
      chunks,
    }
  },
})

/**
 * One chunk in memory at a time, and no transaction that a slow reader would hold open. A newer snapshot may take the
 * chunks away meanwhile; the answer then ends short of its Content-Length, which every client takes for a failure.
 * The first chunk is read before anything is sent, so that a database that is away is still a 503.
 */
async function openChunks(
  prisma: PrismaClient,
  { connectionId, fence, bytes }: { connectionId: string; fence: bigint; bytes: bigint },
): Promise<AsyncIterable<Uint8Array>> {
  const read = (position: number) =>
    prisma.snapshotChunk.findFirst({
      where: { connectionId, fence, position: { gte: position } },
      orderBy: { position: "asc" },
      select: { data: true, position: true },
    })
  const first = await read(0)
  async function* chunks() {
    let left = Number(bytes)
    for (let chunk = first; chunk !== null; chunk = await read(chunk.position + 1)) {
      left -= chunk.data.length
      yield chunk.data
    }
    // Ending in order would leave the client waiting for the rest.
    if (left !== 0) throw new Error(`${left} bytes of a snapshot are missing: a newer one has replaced it`)
  }
  return chunks()
}

function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const named = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""))
  return named.includes(etag) || named.includes("*")
}

/** The source chose the type; what is not one would make the answer unsendable. */
function safeType(type: string | null): string {
  return type !== null && /^[\w.+-]+\/[\w.+-]+(\s*;[\t\x20-\x7e]*)?$/.test(type)
    ? type
    : "application/octet-stream"
}
