import { clockMs, type Evidence } from "../evidence/evidence.ts"

/**
 * Finds accepted resends that led to no attempt: no delivery was deferred for them, their job is not done, or
 * no attempt followed the deferral.
 */
export function findUnsent({ deferrals, accepted, jobs, attempts }: Evidence): string[] {
  const unsent: string[] = []
  const attemptsOf = Map.groupBy(attempts, ({ delivery }) => delivery)
  const resends = deferrals.filter(({ reason }) => reason === "resend")
  const resendsOf = Map.groupBy(resends, ({ delivery }) => delivery)
  for (const { delivery, at } of resends) {
    const followed = attemptsOf.get(delivery)?.some((attempt) => attempt.at >= at - clockMs)
    if (!followed) unsent.push(`${delivery}: no attempt after the resend at ${new Date(at).toISOString()}`)
  }
  let promised = 0
  for (const one of accepted) {
    if (one.kind === "delivery") {
      promised += 1
      const deferred = resendsOf
        .get(one.delivery)
        ?.some(({ at }) => at >= one.requestedAt - clockMs && at <= one.acceptedAt + clockMs)
      if (!deferred)
        unsent.push(`${one.delivery}: accepted at ${new Date(one.acceptedAt).toISOString()}, not deferred`)
    } else {
      const job = jobs.find(({ job }) => job === one.job)
      promised += job?.resent ?? 0
      if (job?.state !== "done") unsent.push(`job ${one.job}: ${job?.state ?? "no row"}`)
    }
  }
  if (promised > resends.length)
    unsent.push(`${promised} deliveries to be resent, ${resends.length} deferred`)
  return unsent
}
