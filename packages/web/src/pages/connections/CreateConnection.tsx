import { Select, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields } from "../../parts/HeaderFields.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { texts } from "../../texts.ts"

const t = texts.createConnection

export function CreateConnection() {
  return (
    <DialogButton label={t.label} icon="plus" variant="filled">
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const { operates, sites } = useAccess()
  const [id, setId] = useState("")
  const [site, setSite] = useState(operates ? "" : (sites[0] ?? ""))
  const [source, setSource] = useState("")
  const [headers, setHeaders] = useState<HeaderField[]>([])
  const client = useQueryClient()
  const navigate = useNavigate()
  const request = useWrite({
    run: (post) =>
      post.createConnection({
        body: { ...(id === "" ? {} : { id }), site, source, request_headers: headers },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["connections"] }),
  })
  const { data: created } = request
  if (created)
    return (
      <SecretDialog
        title={t.created(created.id)}
        label={texts.createChannel.secret}
        secret={created.signing_secret}
        close={() => navigate({ to: "/connections/$id", params: { id: created.id } })}
      >
        {t.secretMore}
      </SecretDialog>
    )
  return (
    <FormDialog
      title={t.title}
      submit={t.label}
      ready={site !== "" && source !== "" && areComplete(headers)}
      request={request}
      close={close}
    >
      {operates ? (
        <TextInput
          label={t.site}
          description={t.siteHint}
          placeholder="bakery.example"
          required
          value={site}
          onChange={(event) => setSite(event.currentTarget.value.trim())}
          data-autofocus
        />
      ) : (
        <Select
          label={t.site}
          data={sites}
          allowDeselect={false}
          value={site}
          onChange={(value) => setSite(value ?? "")}
        />
      )}
      <TextInput
        label={t.source}
        description={t.sourceHint}
        placeholder="https://api.partner.example/products"
        type="url"
        required
        value={source}
        onChange={(event) => setSource(event.currentTarget.value.trim())}
      />
      <HeaderFields headers={headers} change={setHeaders} />
      <TextInput
        label={texts.createChannel.id}
        description={texts.createChannel.idHint}
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
      />
    </FormDialog>
  )
}
