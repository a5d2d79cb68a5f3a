import { Select, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { bodyOf } from "../../api/client.ts"
import { useWrite } from "../../api/useWrite.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
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
  const client = useQueryClient()
  const navigate = useNavigate()
  const request = useWrite({
    run: (post) => bodyOf(post("/v1/connections", { body: { ...(id === "" ? {} : { id }), site, source } })),
    onSuccess(created) {
      void client.invalidateQueries({ queryKey: ["connections"] })
      void navigate({ to: "/connections/$id", params: { id: created.id } })
    },
  })
  return (
    <FormDialog
      title={t.title}
      submit={t.label}
      ready={site !== "" && source !== ""}
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
      <TextInput
        label={texts.createChannel.id}
        description={texts.createChannel.idHint}
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
      />
    </FormDialog>
  )
}
