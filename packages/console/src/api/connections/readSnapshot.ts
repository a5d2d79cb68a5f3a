import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { notFound, problem } from "../../http/problems.ts"
import { matchesEtag } from "../etag.ts"
import { implement } from "../implement.ts"
import { findConnection } from "./connectionResponse.ts"

export const readSnapshot = implement(
  "readSnapshot",
  async ({ prisma, sql }, { params: { id }, query: { fence }, headers, headOnly, caller }) => {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const snapshot = await prisma.snapshot.findUnique({ where: { connection_id: id } })
    if (!snapshot) {
      return problem(
        "nothing-fetched",
        `Nothing has been fetched for the connection "${id}" yet. GET /v1/syncs?connection=${id} lists its syncs.`,
      )
    }
    const wanted = fence === undefined ? snapshot.fence : BigInt(fence)
    const content =
      wanted === snapshot.fence
        ? snapshot
        : await prisma.previousSnapshot.findUnique({
            where: { connection_id_fence: { connection_id: id, fence: wanted } },
          })
    if (!content) {
      return problem(
        "content-replaced",
        `The content of sync ${fence} of the connection "${id}" is not stored. Omit fence to read the newest, of sync ${snapshot.fence}.`,
      )
    }
    return snapshotResponse(sql, content, { known: headers["if-none-match"], headOnly })
  },
)

type StoredContent = Omit<Prisma.SnapshotModel, "etag">

/** The content as a stream, or 304. */
async function snapshotResponse(
  sql: Sql,
  content: StoredContent,
  { known, headOnly }: { known: string | undefined; headOnly: boolean },
) {
  const etag = `"${Buffer.from(content.content_sha256).toString("hex")}"`
  const validators = { etag, "last-modified": content.stored_at.toUTCString() }
  if (known !== undefined && matchesEtag(known, etag))
    return { kind: "stream", status: 304, headers: validators, chunks: null } as const
  const chunks = headOnly ? null : await openChunks(sql, content)
  return {
    kind: "stream",
    status: 200,
    headers: {
      ...validators,
      "content-type": safeContentType(content.content_type),
      "content-length": String(content.bytes),
      // The content is untrusted: a browser must not run it in the console's origin.
      "content-disposition": "attachment",
      "content-security-policy": "sandbox; default-src 'none'",
    },
    chunks,
  } as const
}

const nextChunk = `
select data, position from snapshot_chunk where connection_id = $connection_id and fence = $fence and position > $after
 order by position limit 1`

/**
 * Reads the chunks of the sync with the number `fence`, one at a time. There is no transaction, because a
 * slow client would keep it open. The chunks stay for 10 minutes after the content was replaced. If they are deleted
 * before the client has read them, the response is cut off.
 * The first chunk is read before the status is sent, so that the status is 503 if the database is
 * unavailable.
 */
async function openChunks(
  sql: Sql,
  { connection_id, fence, bytes }: StoredContent,
): Promise<AsyncIterable<Uint8Array>> {
  async function read(after: number): Promise<{ data: Uint8Array; position: number } | undefined> {
    const [chunk] = await sql<{ data: Uint8Array; position: number }>(
      ...named(nextChunk, { connection_id, fence, after }),
    )
    return chunk
  }
  const first = await read(-1)
  async function* chunks() {
    let left = Number(bytes)
    for (let chunk = first; chunk !== undefined; chunk = await read(chunk.position)) {
      left -= chunk.data.length
      yield chunk.data
    }
    // The error closes the connection. Otherwise the client would wait for the missing bytes.
    if (left !== 0)
      throw new Error(`${left} bytes of a content are missing: it was replaced, and has expired since`)
  }
  return chunks()
}

/**
 * The source chose the type, so it may contain characters that are invalid in a header. Node would throw on
 * them.
 */
function safeContentType(type: string | null): string {
  return type !== null && /^[\w.+-]+\/[\w.+-]+(\s*;[\t\x20-\x7e]*)?$/.test(type)
    ? type
    : "application/octet-stream"
}
