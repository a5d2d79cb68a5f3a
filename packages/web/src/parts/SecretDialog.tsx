import { Button, Modal, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { texts } from "../texts.ts"
import { CopyField } from "./CopyField.tsx"
import { Notice } from "./Notice.tsx"

const t = texts.secretDialog

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
        <Notice kind="warn" title={t.once}>
          {t.onceMore}
        </Notice>
        <CopyField label={label} value={secret} what={label} />
        {children}
        <Button onClick={close}>{t.stored}</Button>
      </Stack>
    </Modal>
  )
}
