import { Tabs, Text } from "@mantine/core"
import type { Schemas } from "../../api/client.ts"
import { Code } from "../../parts/Code.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { curlOf } from "./curl.ts"
import { languages, verifyCode } from "./verifyCode.ts"

const t = texts.delivery

/** How to send the request again by hand, and how a receiver verifies it. */
export function Repeat({
  delivery,
  body,
}: {
  delivery: Schemas["DeliveryWithAttempts"]
  body: string | null
}) {
  const attempt = delivery.attempt_log.at(-1)
  if (delivery.body === null) return null
  const shown = body ?? JSON.stringify(delivery.body)
  return (
    <Section title={t.repeat}>
      <Tabs defaultValue={attempt?.request_headers ? "curl" : "node"} keepMounted={false}>
        <Tabs.List aria-label={t.repeat}>
          {attempt?.request_headers && <Tabs.Tab value="curl">curl</Tabs.Tab>}
          {languages.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Text size="sm" c="dimmed" my="sm">
          {body === null ? t.repeatMasked : t.repeatMore}
        </Text>
        {attempt?.request_headers && (
          <Tabs.Panel value="curl">
            <Code what="curl" code={curlOf(attempt, shown)} />
          </Tabs.Panel>
        )}
        {languages.map(({ id, name }) => (
          <Tabs.Panel key={id} value={id}>
            <Code what={name} code={verifyCode(id, shown, attempt)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  )
}
