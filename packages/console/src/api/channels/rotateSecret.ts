import { type Channel, newSecret } from "@sitewire/contracts"
import { seal, sealContexts, unseal } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import type { Caller } from "../../auth/caller.ts"
import { notFound, problem } from "../../http/problems.ts"
import { ok, type Problem, type Success } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { type ApiContext, implement } from "../implement.ts"
import {
  type ChannelRow,
  changedChannel,
  channelResponse,
  findChannel,
  lockChannel,
  otherSecretTestOf,
} from "./channelResponse.ts"

export const stageSecret = implement(
  "stageSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const secretId = newId("sec")
    const secret = newSecret("sws")
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    // The condition that no other secret exists is part of the update, so that of two concurrent requests
    // only one succeeds.
    const { count } = await prisma.channel.updateMany({
      where: { id, other_secret_id: null },
      data: {
        other_secret_id: secretId,
        other_secret_sealed: new Uint8Array(sealed),
        other_secret_state: "staged",
        other_secret_since: new Date(),
      },
    })
    const row = count === 1 ? await findChannel(prisma, id, caller) : null
    if (!row) return rotationConflict(prisma, id, "stage")
    const { body, ...more } = changedChannel(found, row, caller)
    const secrets = { staged_secret: secret, standard_webhooks_secret: standardWebhooksSecret(secret) }
    return ok({ ...body, ...secrets }, more)
  },
)

export const readStagedSecret = implement(
  "readStagedSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await findChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const row = await prisma.channel.findFirst({
      where: { id, other_secret_state: "staged" },
      select: { other_secret_id: true, other_secret_sealed: true },
    })
    if (!row?.other_secret_id || !row.other_secret_sealed) return rotationConflict(prisma, id, "show")
    const context = sealContexts.signingSecret(id, row.other_secret_id)
    const secret = unseal(sealingKeys, context, row.other_secret_sealed)
    return ok(
      {
        ...channelResponse(found, caller),
        staged_secret: secret,
        standard_webhooks_secret: standardWebhooksSecret(secret),
      },
      { audit: { target: { kind: "channel", id } } },
    )
  },
)

export const activateSecret = useOther("activateSecret", "staged")
export const revertSecret = useOther("revertSecret", "retiring")

function useOther(operation: "activateSecret" | "revertSecret", state: "staged" | "retiring") {
  return implement(
    operation,
    ({ prisma }, { params: { id }, query: { secret_id: secretId, force = false }, caller }) =>
      useOtherSecret(prisma, { id, state, secretId, force }, caller),
  )
}

type Prisma = ApiContext["prisma"]

/**
 * Makes the other secret, which has this state, the active one. The active one becomes the retiring one, so that the
 * step can be undone until that one is retired.
 */
async function useOtherSecret(
  prisma: Prisma,
  {
    id,
    state,
    secretId,
    force,
  }: { id: string; state: "staged" | "retiring"; secretId: string | undefined; force: boolean },
  caller: Caller,
): Promise<Success<Channel> | Problem> {
  const found = await lockChannel(prisma, id, caller)
  if (!found) return notFound("channel", id)
  const rejected = force ? null : rejectedByReceiver(found)
  if (rejected) return rejected
  // One statement swaps the columns, so that a dispatcher always reads one active secret. It is SQL because
  // Prisma cannot swap columns.
  const swapped = await prisma.$executeRaw`
    update channel
       set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
           other_secret_id = secret_id, other_secret_sealed = secret_sealed, other_secret_state = 'retiring',
           other_secret_since = now(), updated_at = now()
     where id = ${id} and other_secret_state = ${state}::other_secret_state
       and (${secretId ?? null}::text is null or other_secret_id = ${secretId ?? null})`
  const row = swapped === 1 ? await findChannel(prisma, id, caller) : null
  if (!row) return rotationConflict(prisma, id, state === "staged" ? "activate" : "revert", secretId)
  return changedChannel(found, row, caller)
}

/** A problem if the last test of the other secret found that the receiver rejects it. */
function rejectedByReceiver(channel: ChannelRow): Problem | null {
  const test = otherSecretTestOf(channel)
  if (test === null || test.error === null) return null
  return problem(
    "secret-not-accepted",
    `The last test found that the receiver does not accept the secret "${channel.other_secret_id}": its response was ${test.status ?? test.error}. All deliveries would fail. Let the receiver accept the secret and test it again, or repeat this request with force=true.`,
  )
}

export const retireSecret = implement(
  "retireSecret",
  async ({ prisma }, { params: { id }, query: { secret_id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const { count } = await prisma.channel.updateMany({
      where: { id, other_secret_id: secret_id ?? { not: null } },
      data: {
        other_secret_id: null,
        other_secret_sealed: null,
        other_secret_state: null,
        other_secret_since: null,
      },
    })
    const row = count === 1 ? await findChannel(prisma, id, caller) : null
    if (!row) return rotationConflict(prisma, id, "retire", secret_id)
    return changedChannel(found, row, caller)
  },
)

export async function rotationConflict(
  prisma: ApiContext["prisma"],
  id: string,
  step: "stage" | "show" | "activate" | "revert" | "retire" | "test",
  secretId?: string,
): Promise<Problem> {
  const row = await prisma.channel.findUnique({
    where: { id },
    select: { other_secret_id: true, other_secret_state: true },
  })
  if (!row) return notFound("channel", id)
  const { other_secret_id: other, other_secret_state: state } = row
  // The response if the row, as read now, would allow the step. Another request has then changed the row
  // since the step failed.
  const changed = problem(
    "rotation-conflict",
    "Somebody else is rotating this channel's secret. Read the channel, then try again.",
  )
  if (other === null || state === null) {
    if (step === "stage") return changed
    const isForStaged = step === "activate" || step === "show"
    const nothing = isForStaged ? "No secret is staged." : "There is no secret beside the active one."
    return problem("rotation-conflict", `${nothing} Stage one to begin a rotation.`)
  }
  if (secretId !== undefined && secretId !== other) {
    return problem(
      "rotation-conflict",
      `The ${state} secret is "${other}" and not "${secretId}", so nothing was changed.`,
    )
  }
  const fitting: Record<typeof step, string[]> = {
    stage: [],
    show: ["staged"],
    activate: ["staged"],
    revert: ["retiring"],
    retire: [state],
    test: [state],
  }
  if (fitting[step].includes(state)) return changed
  const next =
    state === "staged"
      ? "Activate it, or retire it to abandon the rotation."
      : "Retire it once the partner no longer needs it; then another secret can be staged."
  return problem("rotation-conflict", `${rejections[step]}: there is a ${state} secret, "${other}". ${next}`)
}

const rejections = {
  stage: "No other secret can be staged",
  show: "No secret is staged",
  activate: "No secret is staged",
  revert: "There is no previous secret to return to",
  retire: "Nothing can be retired",
  test: "Nothing can be tested",
}
