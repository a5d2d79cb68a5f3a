import { Button, Group, Modal } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { deliveryQuery } from "../../api/queries.ts"
import { Code } from "../../parts/Code.tsx"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { texts } from "../../texts.ts"
import { describeFailure } from "./describeFailure.ts"

const t = texts.tellPartner

/** A message for the partner whose channel fails, to copy into an e-mail. */
export function TellPartner(props: { channel: Schemas["Channel"]; health: Schemas["ChannelHealth"] }) {
  return (
    <DialogButton label={t.button} icon="copy">
      {(close) => (
        <Modal opened onClose={close} title={t.title} size="lg">
          <Message {...props} />
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={close}>
              {texts.common.close}
            </Button>
          </Group>
        </Modal>
      )}
    </DialogButton>
  )
}

function Message({ channel, health }: Parameters<typeof TellPartner>[0]) {
  const failure = health.last_failure
  const { data, isLoading } = useQuery({
    ...deliveryQuery(failure?.delivery ?? ""),
    enabled: failure !== null,
  })
  if (isLoading) return <Loading />
  return <Code what={t.message} code={describeFailure({ channel, health, example: data ?? null })} wrap />
}
