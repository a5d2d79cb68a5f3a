import { newSecret } from "@sitewire/contracts"
import { seal, sealContexts, unseal } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { notFound, problem } from "../../http/problems.ts"
import { ok, type Problem } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { implement } from "../implement.ts"
import {
  type ChannelRow,
  changedChannel,
  channelColumns,
  channelResponse,
  lockChannel,
  otherSecretTestOf,
} from "./channelResponse.ts"

export const stageSecret = implement(
  "stageSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const conflict = rotationConflict(found, "stage")
    if (conflict) return conflict
    const secretId = newId("sec")
    const secret = newSecret("sws")
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    const row = await prisma.channel.update({
      where: { id },
      data: {
        other_secret_id: secretId,
        other_secret_sealed: sealed,
        other_secret_state: "staged",
        other_secret_since: new Date(),
      },
      select: channelColumns,
    })
    const { body, ...more } = changedChannel(found, row, caller)
    const secrets = { staged_secret: secret, standard_webhooks_secret: standardWebhooksSecret(secret) }
    return ok({ ...body, ...secrets }, more)
  },
)

export const readStagedSecret = implement(
  "readStagedSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const conflict = rotationConflict(found, "show")
    if (conflict) return conflict
    const row = await prisma.channel.findUniqueOrThrow({
      where: { id },
      select: { other_secret_sealed: true },
    })
    const context = sealContexts.signingSecret(id, found.other_secret_id ?? "")
    const secret = unseal(sealingKeys, context, row.other_secret_sealed ?? new Uint8Array())
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

export const activateSecret = useOther("activateSecret", "activate")
export const revertSecret = useOther("revertSecret", "revert")

/**
 * Makes the other secret the active one. The active one becomes the retiring one, so that the step can be undone until that one is
 * retired.
 */
function useOther(operation: "activateSecret" | "revertSecret", step: "activate" | "revert") {
  return implement(
    operation,
    async ({ prisma }, { params: { id }, query: { secret_id, force = false }, caller }) => {
      const found = await lockChannel(prisma, id, caller)
      if (!found) return notFound("channel", id)
      const rejected = rotationConflict(found, step, secret_id) ?? (force ? null : rejectedByReceiver(found))
      if (rejected) return rejected
      // One statement swaps the columns, so that a dispatcher always reads one active secret. It is SQL because
      // Prisma cannot swap columns.
      await prisma.$executeRaw`
        update channel
           set secret_id = other_secret_id, secret_sealed = other_secret_sealed,
               other_secret_id = secret_id, other_secret_sealed = secret_sealed, other_secret_state = 'retiring',
               other_secret_since = now(), updated_at = now()
         where id = ${id}`
      const row = await prisma.channel.findUniqueOrThrow({ where: { id }, select: channelColumns })
      return changedChannel(found, row, caller)
    },
  )
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
    const conflict = rotationConflict(found, "retire", secret_id)
    if (conflict) return conflict
    const row = await prisma.channel.update({
      where: { id },
      data: {
        other_secret_id: null,
        other_secret_sealed: null,
        other_secret_state: null,
        other_secret_since: null,
      },
      select: channelColumns,
    })
    return changedChannel(found, row, caller)
  },
)

const retireFirst = "Retire it once the partner no longer needs it; then another secret can be staged."
const activateFirst = "Activate it, or retire it to abandon the rotation."

/** A problem if the locked channel's other secret does not allow the step, or is not the one that the caller means. */
export function rotationConflict(
  { other_secret_id: other, other_secret_state: state }: ChannelRow,
  step: "stage" | "show" | "activate" | "revert" | "retire" | "test",
  secretId = other,
): Problem | null {
  const needsStaged = step === "show" || step === "activate"
  if (other === null) {
    if (step === "stage") return null
    const nothing = needsStaged ? "No secret is staged." : "There is no secret beside the active one."
    return problem("rotation-conflict", `${nothing} Stage one to begin a rotation.`)
  }
  if (secretId !== other)
    return problem(
      "rotation-conflict",
      `The ${state} secret is "${other}" and not "${secretId}", so nothing was changed.`,
    )
  const fits =
    step === "retire" ||
    step === "test" ||
    (step === "revert" ? state === "retiring" : needsStaged && state === "staged")
  if (fits) return null
  const rejected = {
    stage: "No other secret can be staged",
    revert: "There is no previous secret to return to",
  }
  const why = step === "stage" || step === "revert" ? rejected[step] : "No secret is staged"
  const next = state === "staged" ? activateFirst : retireFirst
  return problem("rotation-conflict", `${why}: there is a ${state} secret, "${other}". ${next}`)
}
