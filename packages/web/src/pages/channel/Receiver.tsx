import { Text } from "@mantine/core"
import type { Channel } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Rows, Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { quote } from "../delivery/curl.ts"

const t = texts.receiver

/** How a partner's developer checks the receiver. */
export function Receiver({ channel: { id, address } }: { channel: Channel }) {
  const check = `npx --no -- sitewire-signing check ${quote(address)} --secret-env SITEWIRE_SECRET --channel ${id}\n`
  return (
    <Rows>
      <Section title={t.title}>
        <Text size="sm" mb="md">
          {t.intro}
        </Text>
        <Code what={t.command} code={check} />
      </Section>
      <Section title={t.write}>
        <Text size="sm">{t.writeMore}</Text>
        <ul>
          {t.rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </Section>
    </Rows>
  )
}
