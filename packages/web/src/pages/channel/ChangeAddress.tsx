import { Text, TextInput } from "@mantine/core"
import type { Channel } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { channelQuery } from "../../api/queries.ts"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { toast } from "../../parts/Toasts.tsx"
import { texts } from "../../texts.ts"

const t = texts.settings

/** For a partner whom an operator has allowed to change the address. */
export function ChangeAddress({ channel }: { channel: Channel }) {
  return (
    <DialogButton label={t.changeAddress}>
      {(close) => <Dialog channel={channel} close={close} />}
    </DialogButton>
  )
}

function Dialog({ channel: { id, address: current }, close }: { channel: Channel; close: () => void }) {
  const client = useQueryClient()
  const [address, setAddress] = useState(current)
  const request = useWrite({
    run: (post) => post.changeAddress({ id, body: { address } }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: channelQuery(id).queryKey })
      toast(t.addressChanged)
      close()
    },
  })
  return (
    <FormDialog
      title={t.changeAddressTitle}
      submit={t.changeAddress}
      ready={address !== current}
      request={request}
      close={close}
    >
      <Text size="sm">{t.changeAddressMore}</Text>
      <TextInput
        label={t.address}
        type="url"
        required
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
      />
    </FormDialog>
  )
}
