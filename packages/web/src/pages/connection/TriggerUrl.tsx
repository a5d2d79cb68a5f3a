import { Group, Stack, Text } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { CopyField } from "../../parts/CopyField.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Section } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"

const t = texts.triggerUrl

/** The address that the partner calls. It contains a secret, so it is read only on request, which is audited. */
export function TriggerUrl({ connection: { id, site, token_replaced_at } }: { connection: Connection }) {
  const { managesSite } = useAccess()
  const client = useQueryClient()
  const [shown, setShown] = useState<{ url: string; replaced: boolean } | null>(null)
  if (!managesSite(site)) return null
  return (
    <Section title={t.title}>
      <Stack gap="md">
        <Text size="sm">{t.intro}</Text>
        {shown?.replaced && (
          <Notice kind="warn" title={t.replaced} role="status">
            {t.replacedMore}
          </Notice>
        )}
        {shown && <CopyField label={t.url} value={shown.url} what={t.url} />}
        <Group gap="xs">
          {!shown && (
            <Action
              label={t.show}
              icon="eye"
              title={t.showTitle}
              run={() => api.readConnectionTriggerUrl({ id })}
              then={({ trigger_url }) => setShown({ url: trigger_url, replaced: false })}
            >
              {t.showMore}
            </Action>
          )}
          <Action
            label={t.replace}
            danger
            title={t.replaceTitle(id)}
            confirm={t.replaceConfirm}
            run={(post) => post.replaceConnectionToken({ id })}
            then={({ trigger_url }) => {
              setShown({ url: trigger_url, replaced: true })
              void client.invalidateQueries({ queryKey: ["connections", id], exact: true })
            }}
          >
            {t.replaceMore(site)}
          </Action>
          {token_replaced_at && (
            <Text size="sm" c="dimmed">
              {t.lastReplaced} <Time at={token_replaced_at} />
            </Text>
          )}
        </Group>
      </Stack>
    </Section>
  )
}
