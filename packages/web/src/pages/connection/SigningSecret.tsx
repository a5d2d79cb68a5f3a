import { Group, Stack, Text } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { Action } from "../../parts/Action.tsx"
import { Section } from "../../parts/Page.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { Time } from "../../parts/Time.tsx"

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
            then={({ signing_secret }) => {
              setSecret(signing_secret)
              void client.invalidateQueries({ queryKey: ["connections", id], exact: true })
            }}
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
