import { Button, Group, Modal, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { texts } from "../texts.ts"
import { ProblemAlert } from "./ProblemAlert.tsx"

/** A dialog with fields. Enter submits them. */
export function FormDialog({
  title,
  children,
  submit,
  ready = true,
  danger = false,
  request: { mutate, error, isPending },
  close,
}: {
  title: string
  children: ReactNode
  /** Text of the button that submits. */
  submit: string
  ready?: boolean
  danger?: boolean
  /** What submitting does. */
  request: { mutate: () => void; error: unknown; isPending: boolean }
  close: () => void
}) {
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
          {error !== null && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" color={danger ? "red.9" : "indigo"} loading={isPending} disabled={!ready}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
