import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { certificationQuery, certificationsQuery } from "../../api/queries.ts"

/** `inconclusive`: the receiver was not called with the secret, for the reason in `finding`. */
export type SecretTest = {
  result: "accepted" | "rejected" | "inconclusive" | "running"
  finding: string | null
  at: string
}

/**
 * What the newest certification found about the second secret of a rotation. Earlier ones, and those of other addresses, do not
 * count, as for the API. Null: there is none.
 */
export function useSecretTest({ id, address, other_secret }: Schemas["Channel"]): SecretTest | null {
  const { data: list } = useQuery({
    ...certificationsQuery(id),
    enabled: other_secret !== null,
    // Somebody else can have begun one.
    refetchInterval: 10_000,
  })
  const since = other_secret?.since
  const newest = list?.data.find((one) => one.address === address && since && one.created_at >= since)
  const { data } = useQuery({ ...certificationQuery(id, newest?.id ?? ""), enabled: newest !== undefined })
  if (!newest) return null
  const at = newest.created_at
  if (!data || data.state === "waiting" || data.state === "running")
    return { result: "running", finding: null, at }
  const point = data.points.find((one) => one.id === "rotation")
  const received = point?.received[0]
  const finding = point?.finding ?? data.error
  if (data.state === "failed" || !received) return { result: "inconclusive", finding, at }
  return { result: received.error === null ? "accepted" : "rejected", finding, at }
}
