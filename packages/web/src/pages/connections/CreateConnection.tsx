import { Select, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields } from "../../parts/HeaderFields.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { idHint } from "../../words.ts"

export function CreateConnection() {
  return (
    <DialogButton label="Create connection" icon="plus" variant="filled">
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
        title={`Connection ${created.id} is created`}
        label="Signing secret"
        secret={created.signing_secret}
        close={() => navigate({ to: "/connections/$id", params: { id: created.id } })}
      >
        It signs each request to the source, so that the partner can verify that it comes from here.
      </SecretDialog>
    )
  return (
    <FormDialog
      title="Create a connection"
      submit="Create connection"
      ready={site !== "" && source !== "" && areComplete(headers)}
      request={request}
      close={close}
    >
      {operates ? (
        <TextInput
          label="Site"
          description="The host of the owner's site."
          placeholder="bakery.example"
          required
          value={site}
          onChange={(event) => setSite(event.currentTarget.value.trim())}
          data-autofocus
        />
      ) : (
        <Select
          label="Site"
          data={sites}
          allowDeselect={false}
          value={site}
          onChange={(value) => setSite(value ?? "")}
        />
      )}
      <TextInput
        label="Source"
        description="The URL of the partner's API, which is fetched after each trigger."
        placeholder="https://api.partner.example/products"
        type="url"
        required
        value={source}
        onChange={(event) => setSource(event.currentTarget.value.trim())}
      />
      <HeaderFields headers={headers} change={setHeaders} />
      <TextInput
        label="Id (optional)"
        description={idHint}
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
      />
    </FormDialog>
  )
}
