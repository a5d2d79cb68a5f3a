import { Group, Stack, Text } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { Action } from "../../parts/Action.tsx"
import { Section } from "../../parts/Page.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"

const t = texts.signingSecret

/** The secret that signs the requests to the source. The API returns it when it is made, and never again. */
export function SigningSecret({
  connection: { id, site, signing_secret_replaced_at: replacedAt },
}: {
  connection: Connection
}) {
  const { managesSite } = useAccess()
  const client = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  if (!managesSite(site)) return null
  return (
    <Section title={t.title}>
      <Stack gap="md">
        <Text size="sm">{t.intro}</Text>
        <Group gap="xs">
          <Action
            label={t.replace}
            danger
            title={t.replaceTitle(id)}
            confirm={t.replaceConfirm}
            run={(post) => post.replaceConnectionSecret({ id })}
            then={({ signing_secret }) => {
              setSecret(signing_secret)
              void client.invalidateQueries({ queryKey: ["connections", id], exact: true })
            }}
          >
            {t.replaceMore}
          </Action>
          {replacedAt && (
            <Text size="sm" c="dimmed">
              {t.lastReplaced} <Time at={replacedAt} />
            </Text>
          )}
        </Group>
        {secret !== null && (
          <SecretDialog
            title={t.replaced(id)}
            label={texts.createChannel.secret}
            secret={secret}
            close={() => setSecret(null)}
          />
        )}
      </Stack>
    </Section>
  )
}
