import { Tabs, Text } from "@mantine/core"
import { Code } from "../../parts/Code.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { languages, verifyFunction } from "../delivery/verifyCode.ts"

const t = texts.howToVerify

/** For a partner's developer who has no receiver yet. */
export function HowToVerify() {
  return (
    <Section title={t.title}>
      <Text size="sm">{t.intro}</Text>
      <ul>
        {t.rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
      <Tabs defaultValue="node" keepMounted={false}>
        <Tabs.List mb="sm" aria-label={t.title}>
          {languages.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {languages.map(({ id, name }) => (
          <Tabs.Panel key={id} value={id}>
            <Code what={name} code={verifyFunction(id)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  )
}
