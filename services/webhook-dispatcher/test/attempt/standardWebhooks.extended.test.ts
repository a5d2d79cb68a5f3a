import { newDeliveryId } from "@sitewire/contracts"
import { createDeliveryHeaders } from "@sitewire/signing/certification"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { verifyInPython } from "../fixtures/verifyInPython.ts"

needs(findUv)

test("the headers of a delivery verify with the standardwebhooks library of PyPI, with each secret of a rotation", async () => {
  const secrets = ["the active secret of the tests", "the other secret of the tests"] as const
  const body = Buffer.from('{"event":"site.ready","name":"Ünïcode"}')
  const message = { id: newDeliveryId(), attempt: 1, body }
  const headers = createDeliveryHeaders("Sitewire")(message, {
    secrets: [...secrets],
    standardWebhooks: true,
  })
  const verify = (key: string) =>
    verifyInPython({ secret: standardWebhooksSecret(key), body: body.toString(), headers })
  for (const key of secrets) expect(await verify(key)).toBe("verified")
  expect(await verify("an unknown secret of the tests")).toBe("No matching signature found")
})
