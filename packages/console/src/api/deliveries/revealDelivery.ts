import { manages } from "../../auth/caller.ts"
import { notFound, problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { visibleDelivery } from "./findDelivery.ts"
import { sentHeaders } from "./sentHeaders.ts"

/** A GET, because the response to a POST with an Idempotency-Key is stored, and would outlive an erasure. */
export const revealDelivery = implement(
  "revealDelivery",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const row = await prisma.delivery.findFirst({
      where: visibleDelivery(id, caller),
      select: { id: true, channel_id: true, state: true, body: true, body_sha256: true },
    })
    if (!row) return notFound("delivery", id)
    if (row.state === "erased")
      return problem("erased", "The delivery has been erased on request, so there is nothing to show.")
    const body = Buffer.from(row.body).toString("utf8")
    const body_sha256 = Buffer.from(row.body_sha256).toString("hex")
    // Whoever may reveal personal data only must not be able to send the request again.
    const mayResend = manages(caller, `channel:${row.channel_id}`)
    const request_headers = mayResend ? await sentHeaders({ prisma, sealingKeys }, row) : null
    return ok(
      { delivery: id, body, body_sha256, request_headers },
      { audit: { target: { kind: "delivery", id } } },
    )
  },
)
