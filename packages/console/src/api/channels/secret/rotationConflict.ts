import { notFound, type Problem, problem } from "../../response.ts"
import type { Parts } from "../../defineRoute.ts"

/**
 * Why a step of a rotation changed no row, and what to do instead. Read after the step, so it tells the state that
 * whoever came first has left.
 */
export async function refuseRotation(
  prisma: Parts["prisma"],
  id: string,
  step: "stage" | "activate" | "retire",
  secretId?: string,
): Promise<Problem> {
  const row = await prisma.channel.findUnique({
    where: { id },
    select: { otherSecretId: true, otherSecretState: true },
  })
  if (!row) return notFound("channel", id)
  const { otherSecretId: other, otherSecretState: state } = row
  // What was in the way is gone, or what was missing has come.
  const changed = problem(409, "Somebody else is rotating this channel's secret: look at it, and ask again.")
  if (other === null || state === null) {
    if (step === "stage") return changed
    const nothing = step === "activate" ? "No secret is staged." : "There is no secret beside the active one."
    return problem(409, `${nothing} Staging one begins a rotation.`)
  }
  if (secretId !== undefined && secretId !== other) {
    return problem(409, `The ${state} secret is "${other}" and not "${secretId}", so nothing was done.`)
  }
  if (step === "retire" || (step === "activate" && state === "staged")) return changed
  const next =
    state === "staged"
      ? "Activate it, or retire it to give it up."
      : "Retire it once the partner no longer needs it; then another can be staged."
  const none = step === "activate" ? "No secret is staged" : "No other can be staged"
  return problem(409, `${none}: there is a ${state} secret, "${other}". ${next}`)
}
