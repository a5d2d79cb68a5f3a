import { Button } from "@mantine/core"
import type { DeliveryBody, DeliveryWithAttempts } from "@sitewire/contracts"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { formatBytes } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { Code } from "../../parts/Code.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { texts } from "../../texts.ts"
import classes from "./Body.module.css"

const t = texts.delivery

/** The body that every attempt sends. E-mail addresses are masked until they are revealed, which is audited. */
export function Body({
  delivery,
  revealed,
  reveal,
}: {
  delivery: DeliveryWithAttempts
  revealed: DeliveryBody | null
  reveal: (body: DeliveryBody | null) => void
}) {
  const { revealsOf } = useAccess()
  const { id, body, body_bytes, channel } = delivery
  return (
    <Section
      title={t.body}
      aside={
        body !== null &&
        revealsOf(channel) &&
        (revealed === null ? (
          <Action
            label={t.reveal}
            icon="eye"
            size="xs"
            title={t.revealTitle}
            run={() => api.revealDelivery({ id })}
            then={reveal}
          >
            {t.revealMore}
          </Action>
        ) : (
          <Button size="xs" variant="default" onClick={() => reveal(null)}>
            {t.hide}
          </Button>
        ))
      }
    >
      {body === null ? (
        t.erased
      ) : (
        <div className={classes.body}>
          <Code what={t.body} code={revealed?.body ?? JSON.stringify(body, null, 2)} wrap />
          {revealed === null && <small>{t.masked}</small>}
          <Facts
            facts={[
              [t.size, formatBytes(body_bytes)],
              revealed && ["SHA-256", <Mono key="sha256">{revealed.body_sha256}</Mono>],
              ...Object.entries(revealed?.request_headers ?? {})
                .filter(([name]) => /signature$/i.test(name))
                .map(([name, value]) => [name, <Mono key={name}>{value}</Mono>] as const),
            ]}
          />
        </div>
      )}
    </Section>
  )
}
