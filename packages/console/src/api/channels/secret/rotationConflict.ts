import { notFound, problem } from "../../../http/problems.ts"
import type { Problem } from "../../../http/response.ts"
import type { ApiContext } from "../../implement.ts"

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
