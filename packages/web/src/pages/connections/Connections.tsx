import { Select, TextInput } from "@mantine/core"
import type { Connection } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { type FilterOf, listOf } from "../../api/queries.ts"
import { useWrite } from "../../api/useWrite.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { SelectFilter } from "../../parts/Filters.tsx"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { areComplete, type HeaderField, HeaderFields } from "../../parts/HeaderFields.tsx"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ConnectionRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"
import { ConnectionState } from "../../parts/states.tsx"
import { Ago } from "../../parts/Time.tsx"
import { connectionStates, idHint, pageNames, syncOutcomes } from "../../words.ts"

export function Connections() {
  const { operates, sites } = useAccess()
  const [filter, change] = useFilters<FilterOf<"listConnections">>()
  const list = useInfiniteQuery(listOf("listConnections", filter))
  const [text, setText] = useTyped(filter.q ?? "", (q) => change({ q: q || undefined }))
  const isFiltered = Object.keys(filter).length > 0
  const creates = operates || sites.length > 0
  return (
    <ListPage
      title={pageNames.connections}
      actions={creates && <CreateConnection />}
      filters={
        <>
          <TextInput
            label="Search"
            placeholder="Id, site or source"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <SelectFilter
            label="State"
            values={connectionStates}
            value={filter.state}
            change={(state) => change({ state })}
          />
        </>
      }
      list={list}
      columns={columns}
      empty={
        <Empty title={isFiltered ? "No connection matches these filters" : "No connections yet"}>
          {!isFiltered &&
            creates &&
            "Create one to get the URL that the partner calls when its data changes."}
        </Empty>
      }
    />
  )
}

const columns: Column<Connection>[] = [
  { title: "Connection", cell: ({ id }) => <ConnectionRef id={id} /> },
  { title: "Site", cell: ({ site }) => <span dir="auto">{site}</span> },
  { title: "Source", cell: ({ source }) => <Mono>{source}</Mono>, minor: true },
  {
    title: "State",
    cell: ({ state, last_reason }) => (
      <>
        <ConnectionState state={state} /> {state === "failing" && last_reason}
      </>
    ),
  },
  {
    title: "Last sync",
    cell: ({ last_synced_at, last_outcome }) =>
      last_synced_at ? (
        <>
          {last_outcome && syncOutcomes[last_outcome]}, <Ago at={last_synced_at} />
        </>
      ) : (
        "–"
      ),
    minor: true,
  },
]

function CreateConnection() {
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
  const navigate = useNavigate()
  const request = useWrite({
    run: (post) =>
      post.createConnection({
        body: { ...(id === "" ? {} : { id }), site, source, request_headers: headers },
      }),
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
