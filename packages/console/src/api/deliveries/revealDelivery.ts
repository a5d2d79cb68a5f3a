import { deliveryBodySchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { ok } from "../response.ts"
import { visibleDelivery } from "./findDelivery.ts"

/** A GET, because the response to a POST with an Idempotency-Key is stored, and would outlive an erasure. */
export const revealDelivery = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}/body",
  operation: "revealDelivery",
  summary: "Reveal a delivery's body",
  allow: ["operate", "channel"],
  description:
    "The bytes that every attempt sends, with personal data. The audit log shows who read them. A text in JSON equals these bytes in UTF-8.",
  reveals: true,
  params: deliveryIdParameter,
  otherResponses: { 409: "The delivery has been erased." },
  success: { status: 200, description: "The body exactly as it is sent.", schema: deliveryBodySchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const row = await prisma.delivery.findFirst({
      where: await visibleDelivery(prisma, id, caller),
      select: { state: true, body: true, bodySha256: true },
    })
    if (!row) return notFound("delivery", id)
    if (row.state === "erased")
      return problem("erased", "The delivery has been erased on request, so there is nothing to show.")
    const body = Buffer.from(row.body).toString("utf8")
    const body_sha256 = Buffer.from(row.bodySha256).toString("hex")
    return ok({ delivery: id, body, body_sha256 }, { audit: { target: { kind: "delivery", id } } })
  },
})
