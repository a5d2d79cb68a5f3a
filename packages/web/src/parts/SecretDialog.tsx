import { Button, Modal, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { CopyField } from "./Copy.tsx"
import { Notice } from "./Notice.tsx"

/** Shows a secret that the API returns only once. Only its button closes it, so that no stray click loses the secret. */
export function SecretDialog({
  title,
  label,
  secret,
  children,
  close,
}: {
  title: string
  label: string
  secret: string
  children?: ReactNode
  close: () => void
}) {
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <Notice kind="warn" title="Store it now">
          It is shown only this once. Pass it on over a secure channel.
        </Notice>
        <CopyField label={label} value={secret} what={label} />
        {children}
        <Button onClick={close}>I have stored it</Button>
      </Stack>
    </Modal>
  )
}
