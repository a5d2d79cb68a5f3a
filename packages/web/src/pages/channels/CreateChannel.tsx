import { NumberInput, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useWrite } from "../../api/useWrite.ts"
import { CopyField } from "../../parts/CopyField.tsx"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields } from "../../parts/HeaderFields.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { texts } from "../../texts.ts"

const t = texts.createChannel

export function CreateChannel() {
  return (
    <DialogButton label={t.label} icon="plus" variant="filled">
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [id, setId] = useState("")
  const [address, setAddress] = useState("")
  const [max, setMax] = useState<number | null>(null)
  const [contact, setContact] = useState("")
  const [headers, setHeaders] = useState<HeaderField[]>([])
  const client = useQueryClient()
  const navigate = useNavigate()
  const request = useWrite({
    run: (post) =>
      post.createChannel({
        body: {
          ...(id === "" ? {} : { id }),
          address,
          ...(headers.length === 0 ? {} : { request_headers: headers }),
          ...(max === null ? {} : { max_per_second: max }),
          ...(contact === "" ? {} : { contact }),
        },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["channels"] }),
  })
  const { data } = request
  if (data)
    return (
      <SecretDialog
        title={t.created(data.id)}
        label={t.secret}
        secret={data.signing_secret}
        close={() => navigate({ to: "/channels/$id", params: { id: data.id } })}
      >
        <CopyField label={t.whsec} value={data.standard_webhooks_secret} what={t.whsec} />
      </SecretDialog>
    )
  return (
    <FormDialog
      title={t.title}
      submit={t.label}
      ready={address !== "" && areComplete(headers)}
      request={request}
      close={close}
    >
      <TextInput
        label={t.id}
        description={t.idHint}
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
        data-autofocus
      />
      <TextInput
        label={t.address}
        description={t.addressHint}
        placeholder="https://partner.example/webhooks/sitewire"
        type="url"
        required
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
      />
      <NumberInput
        label={t.max}
        description={t.maxHint}
        min={1}
        max={1_000}
        value={max ?? ""}
        onChange={(value) => setMax(value === "" ? null : Number(value))}
      />
      <TextInput
        label={t.contact}
        description={texts.settings.contactHint}
        type="email"
        value={contact}
        onChange={(event) => setContact(event.currentTarget.value.trim())}
      />
      <HeaderFields headers={headers} change={setHeaders} />
    </FormDialog>
  )
}
