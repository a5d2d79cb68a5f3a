import { Modal, Stack } from "@mantine/core"
import type { TestDelivery } from "@sitewire/contracts"
import { formatMs } from "../../format.ts"
import { Notice } from "../../parts/Notice.tsx"
import { AttemptDetails } from "../delivery/AttemptDetails.tsx"
import { Phases } from "../delivery/Phases.tsx"
import { outcomeOf } from "../delivery/Timeline.tsx"

export function TestResult({ test: { attempt }, close }: { test: TestDelivery; close: () => void }) {
  const passed = attempt.error === null
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title="Test delivery"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <Notice
          kind={passed ? "good" : "bad"}
          title={passed ? "The receiver accepted it" : "The receiver did not accept it"}
          role="status"
        >
          {outcomeOf(attempt)} · {formatMs(attempt.duration_ms)}
        </Notice>
        <Phases attempt={attempt} longest={attempt.duration_ms} />
        <AttemptDetails attempt={attempt} isErased={false} open />
      </Stack>
    </Modal>
  )
}
