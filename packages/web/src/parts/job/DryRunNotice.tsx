import type { DryRun } from "@sitewire/contracts"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { formatNumber } from "../../format.ts"
import { Notice } from "../Notice.tsx"
import { ProblemAlert } from "../ProblemAlert.tsx"

/** How many deliveries or events a job would process, before it is started. */
export function DryRunNotice({
  count: { data, error },
  title,
  children,
}: {
  count: UseQueryResult<DryRun>
  title: (count: string, one: boolean) => string
  children?: ReactNode
}) {
  if (error) return <ProblemAlert error={error} />
  return (
    <Notice
      kind={data && data.matching > 0 ? "warn" : "idle"}
      role="status"
      title={
        data && data.matching === 0 && !data.complete
          ? "The count took too long: whether anything matches is unknown."
          : data
            ? `${data.complete ? "" : "At least "}${title(formatNumber(data.matching), data.matching === 1)}`
            : "Counting …"
      }
    >
      {data && data.matching > 0 && children}
      {data &&
        data.left_out > 0 &&
        ` ${formatNumber(data.left_out)} are left out, because they were erased or their channel was deleted.`}
    </Notice>
  )
}
