import type { DeliverySigner } from "./createDeliverySigner.ts"
import { judgeRejection, judgeSameSite } from "./judge.ts"
import { newMessage } from "./newMessage.ts"
import { type Finding, type FurtherPointId, furtherPointIds } from "./points.ts"
import type { Receiver } from "./receiver.ts"
import { late, type TestRequest, uppercase } from "./requests.ts"
import { correct } from "./testSiteReadyBody.ts"

/**
 * Checks points beyond those of `certify`, and yields a finding for each. `genuine`: the result of that point: without a
 * response, nothing more is sent.
 */
export async function* certifyFurther(
  receiver: Receiver & DeliverySigner,
  genuine: "passed" | "failed" | "no response",
): AsyncGenerator<Finding<FurtherPointId>> {
  if (genuine === "no response") {
    for (const id of furtherPointIds) yield skipped(id)
    return
  }
  const accepted = genuine === "passed"
  const mustReject = async (id: FurtherPointId, { message, headers }: TestRequest) =>
    judgeRejection(id, await receiver.send(message, headers), { accepted })

  yield mustReject("uppercase-signature", uppercase(receiver))
  yield mustReject("old-timestamp", late(receiver))

  const sendGenuine = (body: Buffer) => {
    const message = newMessage(receiver.channelId, body)
    return receiver.send(message, receiver.genuineHeaders(message))
  }
  const { body } = newMessage(receiver.channelId)
  const corrected = correct(body)
  const sent = [await sendGenuine(body), await sendGenuine(body), await sendGenuine(corrected.body)] as const
  yield judgeSameSite(sent, corrected)
}

function skipped(id: FurtherPointId): Finding<FurtherPointId> {
  return {
    id,
    result: "skipped",
    finding: "The receiver did not respond to the genuine delivery.",
    received: [],
  }
}
