import { Button, Group, Modal, Stack } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { ReactNode } from "react"
import { hasCode } from "../api/failure.ts"
import { Icon, type IconName } from "./Icon.tsx"
import { Notice, ProblemAlert } from "./Notice.tsx"

/** A dialog that sends a request. Enter in a field submits it. */
export function FormDialog({
  title,
  children,
  submit,
  ready = true,
  danger = false,
  focus,
  showCurrent,
  request: { mutate, error, isPending },
  close,
}: {
  title: string
  children: ReactNode
  /** Text of the button that submits. */
  submit: string
  ready?: boolean
  danger?: boolean
  /** A button that has the focus at first. Default: a field has it. */
  focus?: "cancel" | "submit" | undefined
  /** Shows what is stored now, if the request was rejected because somebody else has changed it. */
  showCurrent?: () => void
  /** What submitting does. */
  request: { mutate: () => void; error: unknown; isPending: boolean }
  close: () => void
}) {
  const isOutdated = showCurrent && hasCode(error, "changed-meanwhile")
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Stack gap="md">
          {children}
          {isOutdated && <ChangedMeanwhile show={showCurrent} />}
          {error !== null && !isOutdated && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus={focus === "cancel" || undefined}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={danger ? "red.9" : "indigo"}
              loading={isPending}
              disabled={!ready}
              data-autofocus={focus === "submit" || undefined}
            >
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** A button that opens a dialog. `children` is called while it is open, so that its fields begin anew each time. */
export function DialogButton({
  label,
  icon,
  variant = "default",
  danger = false,
  children,
}: {
  label: string
  icon?: IconName
  variant?: "default" | "filled"
  danger?: boolean
  children: (close: () => void) => ReactNode
}) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        variant={variant}
        {...(danger ? { c: "var(--bad)" } : {})}
        leftSection={icon && <Icon name={icon} size={16} />}
        onClick={open}
      >
        {label}
      </Button>
      {opened && children(close)}
    </>
  )
}

/** A change was rejected, because its form shows an older version. */
export function ChangedMeanwhile({ show }: { show: () => void }) {
  return (
    <Notice kind="warn" role="alert" title="Somebody else has changed this meanwhile">
      <Stack gap="xs" align="start">
        <span>So nothing was saved. See what is stored now, and then repeat your change.</span>
        <Button variant="default" size="xs" onClick={show}>
          Show the current version
        </Button>
      </Stack>
    </Notice>
  )
}
