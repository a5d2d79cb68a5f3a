import { Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { fromLocal, toLocal } from "../../parts/localTime.ts"
import { texts } from "../../texts.ts"

const t = texts.reconcile
const dayMs = 86_400_000

/** Proves that no event and no trigger of a period is lost. */
export function Reconcile() {
  return <DialogButton label={t.label}>{(close) => <Dialog close={close} />}</DialogButton>
}

function Dialog({ close }: { close: () => void }) {
  const [after, setAfter] = useState(() => toLocal(new Date(Date.now() - dayMs).toISOString()))
  const [before, setBefore] = useState("")
  const created_after = fromLocal(after)
  const created_before = fromLocal(before)
  return (
    <StartJob
      title={t.title}
      confirm={t.label}
      reason="optional"
      ready={created_after !== undefined}
      start={(post, reason) =>
        post.createReconcileJob({
          body: {
            created_after: created_after ?? "",
            ...(created_before ? { created_before } : {}),
            ...(reason ? { reason } : {}),
          },
        })
      }
      close={close}
    >
      <Text size="sm">{t.explain}</Text>
      <TextInput
        type="datetime-local"
        label={t.after}
        description={t.afterHint}
        required
        value={after}
        onChange={(event) => setAfter(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        type="datetime-local"
        label={t.before}
        description={t.beforeHint}
        value={before}
        onChange={(event) => setBefore(event.currentTarget.value)}
      />
    </StartJob>
  )
}
