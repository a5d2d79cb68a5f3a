import { Text } from "@mantine/core"
import type { DeliveryWithAttempts } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { curlOf } from "./curl.ts"

const t = texts.delivery

/** How to send the request again by hand. */
export function Repeat({ delivery, body }: { delivery: DeliveryWithAttempts; body: string | null }) {
  const attempt = delivery.attempt_log.at(-1)
  if (delivery.body === null || !attempt?.request_headers) return null
  return (
    <Section title={t.repeat}>
      <Text size="sm" c="dimmed" mb="sm">
        {body === null ? t.repeatMasked : t.repeatMore}
      </Text>
      <Code what="curl" code={curlOf(attempt, body ?? JSON.stringify(delivery.body))} />
    </Section>
  )
}
