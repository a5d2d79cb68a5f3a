import { Button, Stack } from "@mantine/core"
import { Notice } from "./Notice.tsx"

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
