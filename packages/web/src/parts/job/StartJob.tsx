import { Button, Group, Modal, Stack, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import type { Schemas } from "../../api/client.ts"
import { texts } from "../../texts.ts"
import { ProblemAlert } from "../ProblemAlert.tsx"

type StartJobProps = {
  title: string
  /** What the job applies to. */
  children: ReactNode
  /** Text of the button that starts it. */
  confirm: string
  ready: boolean
  danger?: boolean
  reason?: "required" | "optional"
  start: (reason: string) => Promise<Schemas["Job"] | Schemas["DryRun"]>
  close: () => void
}

/** A dialog that starts a job, and then opens the job's page. */
export function StartJob({
  title,
  children,
  confirm,
  ready,
  danger = false,
  reason = "required",
  start,
  close,
}: StartJobProps) {
  const navigate = useNavigate()
  const [why, setWhy] = useState("")
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => start(why.trim()),
    onSuccess: (job) => {
      if ("id" in job) void navigate({ to: "/jobs/$id", params: { id: job.id } })
    },
  })
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ "aria-label": texts.common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Stack gap="md">
          {children}
          <TextInput
            label={reason === "required" ? texts.common.reason : texts.common.reasonOptional}
            description={texts.common.reasonHint}
            required={reason === "required"}
            maxLength={500}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
          />
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button
              type="submit"
              color={danger ? "red.9" : "indigo"}
              loading={isPending}
              disabled={!ready || (reason === "required" && why.trim() === "")}
            >
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
