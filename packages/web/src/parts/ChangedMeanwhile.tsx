import { Button, Stack } from "@mantine/core"
import { texts } from "../texts.ts"
import { Notice } from "./Notice.tsx"

const t = texts.changedMeanwhile

/** A change was rejected, because its form shows an older version. */
export function ChangedMeanwhile({ show }: { show: () => void }) {
  return (
    <Notice kind="warn" role="alert" title={t.title}>
      <Stack gap="xs" align="start">
        <span>{t.more}</span>
        <Button variant="default" size="xs" onClick={show}>
          {t.show}
        </Button>
      </Stack>
    </Notice>
  )
}
