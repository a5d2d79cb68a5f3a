import type { DeliveryBody, DeliveryWithAttempts } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Section } from "../../parts/Page.tsx"
import { curlOf } from "./curl.ts"

type RepeatProps = { delivery: DeliveryWithAttempts; revealed: DeliveryBody | null }

/** How to send the request again by hand, for whoever sees all of it. */
export function Repeat({ delivery, revealed }: RepeatProps) {
  const url = delivery.attempt_log.at(-1)?.url
  if (!url || !revealed?.request_headers) return null
  return (
    <Section title="Repeat by hand">
      <Code what="curl" code={curlOf(url, revealed.request_headers, revealed.body)} />
    </Section>
  )
}
