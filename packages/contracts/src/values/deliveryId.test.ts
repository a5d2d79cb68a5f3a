import { expect, test } from "vitest"
import { deliveryIdOf, timeOfDeliveryId } from "./deliveryId.ts"

const at = Date.parse("2030-01-02T03:04:05.678Z")

test("the same record has the same delivery id, which contains the time of the record", () => {
  const id = deliveryIdOf("order-1", at)
  // Pinned, because an upgrade must not change the ids of records that are consumed again after it.
  expect(id).toBe("01b8e094-9b2e-7698-b050-ee040446d366")
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(timeOfDeliveryId(id)).toBe(at)
})

test("another event, or another record of the event, has another delivery id", () => {
  const ids = [deliveryIdOf("order-1", at), deliveryIdOf("order-2", at), deliveryIdOf("order-1", at + 1)]
  expect(new Set(ids).size).toBe(3)
})
