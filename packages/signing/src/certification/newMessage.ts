import { randomBytes, randomUUID } from "node:crypto"
import type { TestMessage } from "./createDeliverySigner.ts"
import { testSiteReadyBody } from "./testSiteReadyBody.ts"

/** The first attempt of a delivery with an id of its own. Default: with a site of its own. */
export function newMessage(channel: string, body = testSiteReadyBody(channel)): TestMessage {
  return { id: randomUUID(), attempt: 1, body }
}

/** A secret that no channel has. */
export function unknownSecret(): string {
  return `sws_${randomBytes(32).toString("base64url")}`
}
