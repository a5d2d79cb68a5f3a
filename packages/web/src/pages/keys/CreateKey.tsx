import { Select, TextInput } from "@mantine/core"
import type { ScopeName } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useWrite } from "../../api/useWrite.ts"
import { ChannelInput } from "../../parts/ChannelInput.tsx"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { fromLocal } from "../../parts/localTime.ts"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { texts } from "../../texts.ts"
import { SignInLink } from "./SignInLink.tsx"

const t = texts.createKey
const kinds = [
  ...(["operate", "personal-data", "admin", "read", "publisher"] as const),
  ...(["channel", "site", "connection"] as const),
] satisfies ScopeName[]
const placeholders: Partial<Record<ScopeName, string>> = {
  channel: "acme",
  site: "bakery.example",
  connection: "bakery-products",
}
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
  const placeholder = placeholders[kind]
  const needsName = placeholder !== undefined
  const request = useWrite({
    run: (post) => {
      const expires_at = fromLocal(expires)
      const scopes = [needsName ? `${kind}:${of}` : kind]
      return post.createApiKey({ body: { name, scopes, ...(expires_at ? { expires_at } : {}) } })
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["keys"] }),
  })
  const { data } = request
  if (data)
    return (
      <SecretDialog title={t.created(data.name)} label={t.key} secret={data.key} close={close}>
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
      {kind === "channel" && (
        <ChannelInput
          label={t.channel}
          placeholder={placeholders.channel}
          required
          value={of}
          change={(value) => setOf(value.trim())}
        />
      )}
      {needsName && kind !== "channel" && (
        <TextInput
          label={kind === "site" ? t.site : t.connection}
          placeholder={placeholder}
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
