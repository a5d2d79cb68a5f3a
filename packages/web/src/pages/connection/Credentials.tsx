import { Group, Stack, Text } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { CopyField } from "../../parts/Copy.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Section } from "../../parts/Page.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { Time } from "../../parts/Time.tsx"

/** The address that the partner calls. It contains a secret, so it is read only on request, which is audited. */
export function TriggerUrl({ connection: { id, site, token_replaced_at } }: { connection: Connection }) {
  const { managesSite } = useAccess()
  const [shown, setShown] = useState<{ url: string; replaced: boolean } | null>(null)
  if (!managesSite(site)) return null
  return (
    <Section title="Trigger URL">
      <Stack gap="md">
        <Text size="sm">
          The partner sends a POST to this URL whenever its data has changed. Whoever knows it can start a
          sync.
        </Text>
        {shown?.replaced && (
          <Notice kind="warn" title="The old URL no longer works" role="status">
            Give the new URL to the partner now. Its calls to the old one get 404.
          </Notice>
        )}
        {shown && <CopyField label="Trigger URL" value={shown.url} what="Trigger URL" />}
        <Group gap="xs">
          {!shown && (
            <Action
              label="Show"
              icon="eye"
              title="Show the trigger URL?"
              run={() => api.readConnectionTriggerUrl({ id })}
              then={({ trigger_url }) => setShown({ url: trigger_url, replaced: false })}
            >
              It contains a secret token. That you have seen it is written to the audit log.
            </Action>
          )}
          <Action
            label="Replace token"
            danger
            title={`Replace the token of ${id}?`}
            confirm="Replace"
            run={(post) => post.replaceConnectionToken({ id })}
            then={({ trigger_url }) => setShown({ url: trigger_url, replaced: true })}
          >
            {`The old URL responds 404 at once, so the site ${site} gets no updates until the partner calls the new one. Have the partner ready.`}
          </Action>
          {token_replaced_at && (
            <Text size="sm" c="dimmed">
              Last replaced <Time at={token_replaced_at} />
            </Text>
          )}
        </Group>
      </Stack>
    </Section>
  )
}

/** The secret that signs the requests to the source. The API returns it when it is made, and never again. */
export function SigningSecret({
  connection: { id, site, signing_secret_replaced_at: replacedAt },
}: {
  connection: Connection
}) {
  const { managesSite } = useAccess()
  const [secret, setSecret] = useState<string | null>(null)
  if (!managesSite(site)) return null
  return (
    <Section title="Signing secret">
      <Stack gap="md">
        <Text size="sm">
          Each request to the source is signed with a secret of this connection, so that the partner can
          verify that it comes from here.
        </Text>
        <Group gap="xs">
          <Action
            label="Replace secret"
            danger
            title={`Replace the signing secret of ${id}?`}
            confirm="Replace"
            run={(post) => post.replaceConnectionSecret({ id })}
            then={({ signing_secret }) => setSecret(signing_secret)}
          >
            The next sync is signed with the new secret. A source that verifies rejects syncs until the
            partner has it, and they are retried. Have the partner ready.
          </Action>
          {replacedAt && (
            <Text size="sm" c="dimmed">
              Last replaced <Time at={replacedAt} />
            </Text>
          )}
        </Group>
        {secret !== null && (
          <SecretDialog
            title={`The signing secret of ${id} is replaced`}
            label="Signing secret"
            secret={secret}
            close={() => setSecret(null)}
          />
        )}
      </Stack>
    </Section>
  )
}
