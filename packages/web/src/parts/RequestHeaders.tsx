import { Group, Stack, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { Versioned } from "../api/client.ts"
import { Action } from "./Action.tsx"
import { DialogButton, FormDialog } from "./FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields, withoutValues } from "./HeaderFields.tsx"
import { Section } from "./Page.tsx"
import { Time } from "./Time.tsx"
import { toast } from "./Toasts.tsx"

type Props = {
  /** The connection or the channel. */
  id: string
  shown: Versioned<{ request_header_names: string[]; request_headers_changed_at: string | null }>
  set: (headers: HeaderField[], etag: string) => Promise<unknown>
}

/** The headers of each request to a source or a receiver: their names, because the API never returns their values. */
export function RequestHeaders(props: Props) {
  const { id, shown, set } = props
  const { request_header_names: names, request_headers_changed_at: changedAt } = shown
  return (
    <Section title="Request headers">
      <Stack gap="md">
        <Text size="sm">
          {names.length === 0
            ? "No request headers are set. If the partner's server needs a credential, set Authorization here."
            : `Each request has these headers: ${names.join(", ")}. Their values are never shown.`}
        </Text>
        <Group gap="xs">
          <DialogButton label="Set headers">{(close) => <Dialog {...props} close={close} />}</DialogButton>
          {names.length > 0 && (
            <Action
              label="Remove headers"
              danger
              title={`Remove the request headers of ${id}?`}
              run={() => set([], shown.etag)}
              done="The request headers are changed"
            >
              The next request is made without them.
            </Action>
          )}
          {changedAt && (
            <Text size="sm" c="dimmed">
              Last changed <Time at={changedAt} />
            </Text>
          )}
        </Group>
      </Stack>
    </Section>
  )
}

function Dialog({ id, shown, set, close }: Props & { close: () => void }) {
  const [opened, setOpened] = useState(shown)
  const [headers, setFields] = useState(fieldsOf(shown))
  const request = useMutation({
    mutationFn: () => set(headers, opened.etag),
    onSuccess() {
      close()
      toast("The request headers are changed")
    },
  })
  return (
    <FormDialog
      title={`Set the request headers of ${id}?`}
      submit="Set headers"
      ready={areComplete(headers)}
      request={request}
      showCurrent={() => {
        setOpened(shown)
        setFields(fieldsOf(shown))
        request.reset()
      }}
      close={close}
    >
      <span>
        They replace all that are set. The values are stored encrypted, and nobody can read them here again.
        The next request has them.
      </span>
      <HeaderFields headers={headers} change={setFields} />
    </FormDialog>
  )
}

const fieldsOf = ({ request_header_names: names }: Props["shown"]) =>
  withoutValues(names.length > 0 ? names : ["Authorization"])
