import { TextInput } from "@mantine/core"
import type { ChangeChannel, CreateChannel as Fields } from "@sitewire/contracts"
import { channelView } from "@sitewire/contracts/views"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useWrite } from "../../api/useWrite.ts"
import { CopyField } from "../../parts/Copy.tsx"
import { Field } from "../../parts/Field.tsx"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields } from "../../parts/HeaderFields.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { forStandardWebhooks, idHint } from "../../words.ts"
import { useAddressTest } from "../channel/useAddressTest.ts"

export function CreateChannel() {
  return (
    <DialogButton label="Create channel" icon="plus" variant="filled">
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [id, setId] = useState("")
  const [fields, setFields] = useState<Fields>({ address: "" })
  const [headers, setHeaders] = useState<HeaderField[]>([])
  const { failed, test } = useAddressTest()
  const navigate = useNavigate()
  const request = useWrite({
    async run(post) {
      // A test has no request headers.
      if (headers.length === 0) await test(id || crypto.randomUUID(), fields.address, true)
      return post.createChannel({
        body: {
          ...(id === "" ? {} : { id }),
          ...fields,
          ...(headers.length === 0 ? {} : { request_headers: headers }),
        },
      })
    },
  })
  const { data } = request
  if (data)
    return (
      <SecretDialog
        title={`Channel ${data.id} is created`}
        label="Signing secret"
        secret={data.signing_secret}
        close={() => navigate({ to: "/channels/$id", params: { id: data.id } })}
      >
        <CopyField
          label={forStandardWebhooks}
          value={data.standard_webhooks_secret}
          what={forStandardWebhooks}
        />
      </SecretDialog>
    )
  return (
    <FormDialog
      title="Create a channel"
      submit={fields.address === failed ? "Create anyway" : "Create channel"}
      ready={fields.address !== "" && areComplete(headers)}
      request={request}
      close={close}
    >
      <TextInput
        label="Id (optional)"
        description={idHint}
        value={id}
        onChange={(event) => setId(event.currentTarget.value.trim())}
        data-autofocus
      />
      {channelView.form
        .filter(({ kind }) => kind !== "switch")
        .map((input) => (
          <Field
            key={input.name}
            isNew
            input={input}
            value={(fields as ChangeChannel)[input.name]}
            change={(value) => setFields((now) => ({ ...now, [input.name]: value }))}
          />
        ))}
      <HeaderFields headers={headers} change={setHeaders} />
    </FormDialog>
  )
}
