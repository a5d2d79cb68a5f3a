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
import { revealMore } from "../../words.ts"
import classes from "./Body.module.css"

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
      title="Body"
      aside={
        body !== null &&
        revealsOf(channel) &&
        (revealed === null ? (
          <Action
            label="Reveal"
            icon="eye"
            size="xs"
            title="Reveal the body?"
            run={() => api.revealDelivery({ id })}
            then={reveal}
          >
            {revealMore}
          </Action>
        ) : (
          <Button size="xs" variant="default" onClick={() => reveal(null)}>
            Hide
          </Button>
        ))
      }
    >
      {body === null ? (
        "It was erased on request."
      ) : (
        <div className={classes.body}>
          <Code what="Body" code={revealed?.body ?? JSON.stringify(body, null, 2)} wrap />
          {revealed === null && <small>E-mail addresses are masked.</small>}
          <Facts
            facts={[
              ["Size", formatBytes(body_bytes)],
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
