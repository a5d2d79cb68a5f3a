import { Button, Group, Modal } from "@mantine/core"
import type { Channel, ChannelHealth } from "@sitewire/contracts"
import { describeFailure } from "@sitewire/contracts/partnerMessage"
import { useQuery } from "@tanstack/react-query"
import { deliveryQuery } from "../../api/queries.ts"
import { Code } from "../../parts/Code.tsx"
import { DialogButton } from "../../parts/FormDialog.tsx"
import { Loading } from "../../parts/Loading.tsx"

type Props = { channel: Channel; health: ChannelHealth }

/** A message for the partner whose channel fails, to copy into an e-mail. */
export function TellPartner(props: Props) {
  return (
    <DialogButton label="Tell the partner" icon="copy">
      {(close) => (
        <Modal opened onClose={close} title="A message for the partner" size="lg">
          <PartnerMessage {...props} />
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={close}>
              Close
            </Button>
          </Group>
        </Modal>
      )}
    </DialogButton>
  )
}

/** The same words as in the e-mails to the channel's contact. */
export function PartnerMessage({ channel, health }: Props) {
  const failure = health.last_failure
  const { data, isLoading } = useQuery({
    ...deliveryQuery(failure?.delivery ?? ""),
    enabled: failure !== null,
  })
  if (isLoading) return <Loading />
  return <Code what="the message" code={describeFailure({ channel, health, example: data ?? null })} wrap />
}
