import { Text, TextInput } from "@mantine/core"
import type { Channel } from "@sitewire/contracts"
import { useState } from "react"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { toast } from "../../parts/Toasts.tsx"

/** For a partner whom an operator has allowed to change the address. */
export function ChangeAddress({ channel }: { channel: Channel }) {
  return (
    <DialogButton label="Change address">
      {(close) => <Dialog channel={channel} close={close} />}
    </DialogButton>
  )
}

function Dialog({ channel: { id, address: current }, close }: { channel: Channel; close: () => void }) {
  const [address, setAddress] = useState(current)
  const request = useWrite({
    run: (post) => post.changeAddress({ id, body: { address } }),
    onSuccess() {
      toast("Deliveries go to the new address from now on")
      close()
    },
  })
  return (
    <FormDialog
      title="Change the notification address?"
      submit="Change address"
      ready={address !== current}
      request={request}
      close={close}
    >
      <Text size="sm">
        A test delivery with the header X-Sitewire-Challenge is sent to the new address. If the receiver
        returns the header, the address is changed; until then, deliveries go to the current one.
      </Text>
      <TextInput
        label="Notification address"
        type="url"
        required
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
      />
    </FormDialog>
  )
}
