import { TextInput } from "@mantine/core"
import type { Output } from "@sitewire/contracts/client"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Versioned } from "../../api/client.ts"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, areNeededAgain, HeaderFields, withoutValues } from "../../parts/HeaderFields.tsx"
import { toast } from "../../parts/Toasts.tsx"
import { headersNeeded } from "../../words.ts"

type Connection = Versioned<Output<"readConnection">>

export function ChangeSource({ connection }: { connection: Connection }) {
  return (
    <DialogButton label="Change source">
      {(close) => <Dialog connection={connection} close={close} />}
    </DialogButton>
  )
}

function Dialog({ connection, close }: { connection: Connection; close: () => void }) {
  const { id } = connection
  const [version, setVersion] = useState(connection)
  const [source, setSource] = useState(connection.source)
  const [headers, setHeaders] = useState(withoutValues(connection.request_header_names))
  const needsHeaders = areNeededAgain(connection.request_header_names, connection.source, source)
  const request = useMutation({
    mutationFn: () =>
      api.changeConnection(
        { id, body: { source, ...(needsHeaders ? { request_headers: headers } : {}) } },
        { ifMatch: version.etag },
      ),
    onSuccess() {
      close()
      toast("The source is changed")
    },
  })
  return (
    <FormDialog
      title={`Change the source of ${id}?`}
      submit="Change"
      ready={source !== "" && (!needsHeaders || areComplete(headers))}
      request={request}
      showCurrent={() => {
        setVersion(connection)
        setSource(connection.source)
        request.reset()
      }}
      close={close}
    >
      <span>
        A running sync is discarded. The new source is fetched in the next window and replaces the content.
      </span>
      <TextInput
        label="Source"
        type="url"
        required
        value={source}
        onChange={(event) => setSource(event.currentTarget.value.trim())}
        data-autofocus
      />
      {needsHeaders && (
        <>
          <span>{headersNeeded}</span>
          <HeaderFields headers={headers} change={setHeaders} />
        </>
      )}
    </FormDialog>
  )
}
