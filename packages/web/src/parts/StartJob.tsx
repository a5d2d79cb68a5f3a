import { NumberInput, TextInput } from "@mantine/core"
import type { DryRun, Job } from "@sitewire/contracts"
import { type UseQueryResult, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { Post } from "../api/client.ts"
import { useWrite } from "../api/useWrite.ts"
import { formatNumber } from "../format.ts"
import { reasonHint } from "../words.ts"
import { FormDialog } from "./FormDialog.tsx"
import { Notice, ProblemAlert } from "./Notice.tsx"

type StartJobProps = {
  title: string
  /** What the job applies to. */
  children: ReactNode
  /** Text of the button that starts it. */
  confirm: string
  ready: boolean
  danger?: boolean
  start: (post: Post, reason: string) => Promise<Job | DryRun>
  close: () => void
}

/** A dialog that starts a job, and then opens the job's page. */
export function StartJob({ title, children, confirm, ready, danger = false, start, close }: StartJobProps) {
  const navigate = useNavigate()
  const [why, setWhy] = useState("")
  const request = useWrite({
    run: (post) => start(post, why.trim()),
    onSuccess: (job) => {
      if ("id" in job) void navigate({ to: "/jobs/$id", params: { id: job.id } })
    },
  })
  return (
    <FormDialog
      title={title}
      submit={confirm}
      ready={ready && why.trim() !== ""}
      danger={danger}
      request={request}
      close={close}
    >
      {children}
      <TextInput
        label="Reason"
        description={reasonHint}
        required
        maxLength={500}
        value={why}
        onChange={(event) => setWhy(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

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

const most = 1_000
export const defaultRate = 50

/** How many deliveries or events per second a job processes. */
export function RateInput({
  rate,
  change,
  label,
  description,
}: {
  rate: number
  change: (rate: number) => void
  label: string
  description?: string
}) {
  return (
    <NumberInput
      label={label}
      description={description}
      min={1}
      max={most}
      value={rate}
      onChange={(value) => change(Math.min(most, Math.max(1, Number(value) || 1)))}
    />
  )
}

/**
 * Counts what a job would process. Not again by itself, because a count may take seconds. The result is removed with the
 * dialog, so that the page does not keep an e-mail address of its key.
 */
export function useDryRun(
  of: readonly unknown[],
  count: (signal: AbortSignal) => Promise<DryRun | Job>,
  { enabled = true } = {},
) {
  return useQuery({
    queryKey: ["dry run", ...of],
    queryFn: async ({ signal }) => (await count(signal)) as DryRun,
    enabled,
    gcTime: 0,
    staleTime: "static",
  })
}
