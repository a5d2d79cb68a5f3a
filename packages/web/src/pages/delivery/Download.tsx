import type { DeliveryWithAttempts } from "@sitewire/contracts"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { revealMore, wholeSignatures } from "../../words.ts"

/** Saves everything about a delivery as evidence: with what was sent for whoever may reveal it, which is audited. */
export function Download({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { revealsOf, managesChannel } = useAccess()
  const { id, channel, body } = delivery
  const reveals = body !== null && revealsOf(channel)
  return (
    <Action
      label="Download"
      title="Download this delivery as evidence?"
      run={async () => ({ ...(await allOf(id)), sent: reveals ? await api.revealDelivery({ id }) : null })}
      then={(evidence) => save(`delivery-${id}.json`, JSON.stringify(evidence, null, 2))}
    >
      The file has its states, attempts, headers and responses.{" "}
      {body !== null && (reveals ? revealMore : "E-mail addresses are masked.")}{" "}
      {reveals && managesChannel(channel) && wholeSignatures}
    </Action>
  )
}

/** The delivery with all its attempts, not only the newest. */
async function allOf(id: string) {
  const { attempt_log_cursor, attempt_log, ...delivery } = await api.readDelivery({ id })
  const attempts = [...attempt_log]
  for (let cursor = attempt_log_cursor; cursor !== null; ) {
    const page = await api.listAttempts({ id, cursor, limit: 100 })
    attempts.unshift(...page.data.toReversed())
    cursor = page.next_cursor
  }
  return { ...delivery, attempt_log: attempts }
}

function save(name: string, text: string): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
