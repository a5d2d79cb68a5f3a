import { Text } from "@mantine/core"
import type { Channel } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Rows, Section } from "../../parts/Page.tsx"
import { quote } from "../delivery/curl.ts"

const rules = [
  "Verify the bytes that arrived, before any JSON parser.",
  "Respond 401 if the header is missing or wrong.",
  "Respond 2xx within 10 seconds, also to a delivery that you know already. Do the work afterwards.",
] as const

/** How a partner's developer checks the receiver. */
export function Receiver({ channel: { id, address } }: { channel: Channel }) {
  const check = `npx --no -- sitewire-signing check ${quote(address)} --secret-env SITEWIRE_SECRET --channel ${id}\n`
  return (
    <Rows>
      <Section title="Check the receiver">
        <Text size="sm" mb="md">
          This command of the package @sitewire/signing sends about 30 genuine and forged deliveries with
          fictional data, and reports what the receiver does wrong. It needs no key. Run it before the first
          real delivery and after each change, with the signing secret in the variable SITEWIRE_SECRET. If
          your headers do not begin with X-Sitewire, add --service-name.
        </Text>
        <Code what="the command" code={check} />
      </Section>
      <Section title="Write the receiver">
        <Text size="sm">
          There are libraries and whole receivers for Node (@sitewire/signing), Python, Go, Java, PHP and
          Ruby: the table at the beginning of docs/partners.md lists them.
        </Text>
        <ul>
          {rules.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
      </Section>
    </Rows>
  )
}
