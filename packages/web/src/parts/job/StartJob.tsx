import { TextInput } from "@mantine/core"
import type { DryRun, Job } from "@sitewire/contracts"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { Post } from "../../api/client.ts"
import { useWrite } from "../../api/useWrite.ts"
import { reasonHint } from "../../words.ts"
import { FormDialog } from "../FormDialog.tsx"

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
