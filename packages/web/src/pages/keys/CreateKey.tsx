import { Select, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { bodyOf } from "../../api/client.ts"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { texts } from "../../texts.ts"
import { fromLocal } from "../deliveries/localTime.ts"
import { SignInLink } from "./SignInLink.tsx"

const t = texts.createKey
const kinds = ["operate", "read", "channel", "site"] as const
type Kind = (typeof kinds)[number]

export function CreateKey() {
  return (
    <DialogButton label={t.label} icon="plus" variant="filled">
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("channel")
  const [of, setOf] = useState("")
  const [expires, setExpires] = useState("")
  const client = useQueryClient()
  const needsName = kind === "channel" || kind === "site"
  const request = useWrite({
    run: (post) => {
      const expires_at = fromLocal(expires)
      const scopes = [needsName ? `${kind}:${of}` : kind]
      return bodyOf(post("/v1/keys", { body: { name, scopes, ...(expires_at ? { expires_at } : {}) } }))
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["keys"] }),
  })
  const { data } = request
  if (data)
    return (
      <SecretDialog title={t.created(data.name)} texts={t} label={t.key} secret={data.key} close={close}>
        <SignInLink apiKey={data.key} />
      </SecretDialog>
    )
  return (
    <FormDialog
      title={t.title}
      submit={t.label}
      ready={name !== "" && !(needsName && of === "")}
      request={request}
      close={close}
    >
      <TextInput
        label={t.name}
        description={t.nameHint}
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label={t.kind}
        description={t.explain[kind]}
        allowDeselect={false}
        data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
        value={kind}
        onChange={(value) => setKind(kinds.find((one) => one === value) ?? "channel")}
      />
      {needsName && (
        <TextInput
          label={kind === "channel" ? t.channel : t.site}
          placeholder={kind === "channel" ? "acme" : "bakery.example"}
          required
          value={of}
          onChange={(event) => setOf(event.currentTarget.value.trim())}
        />
      )}
      <TextInput
        type="datetime-local"
        label={t.expires}
        description={t.expiresHint}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
