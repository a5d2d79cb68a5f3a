import { randomBytes } from "node:crypto"
import { newDeliveryId } from "../newDeliveryId.ts"
import type { TestMessage } from "./createDeliverySigner.ts"
import { testSiteReadyBody } from "./testSiteReadyBody.ts"

/** The first attempt of a delivery with an id of its own, which is greater than those before. Default: with a site of its own. */
export function newMessage(channel: string, body = testSiteReadyBody(channel)): TestMessage {
  return { id: newDeliveryId(), attempt: 1, body }
}

/** A secret that no channel has. */
export function unknownSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
