import { Button, Group, Stack, Switch } from "@mantine/core"
import type { ChangeChannel } from "@sitewire/contracts"
import type { Output } from "@sitewire/contracts/client"
import { deliveriesOf } from "@sitewire/contracts/partnerMessage"
import { channelView } from "@sitewire/contracts/views"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { Fragment, useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, type Versioned, versionOf } from "../../api/client.ts"
import { hasCode } from "../../api/failure.ts"
import { channelQuery } from "../../api/queries.ts"
import { queryClient } from "../../api/queryClient.ts"
import { formatNumber } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Field } from "../../parts/Field.tsx"
import { ChangedMeanwhile } from "../../parts/FormDialog.tsx"
import { areComplete, areNeededAgain, HeaderFields, withoutValues } from "../../parts/HeaderFields.tsx"
import { ProblemAlert } from "../../parts/Notice.tsx"
import { Rows, Section } from "../../parts/Page.tsx"
import { RequestHeaders } from "../../parts/RequestHeaders.tsx"
import { Time } from "../../parts/Time.tsx"
import { toast } from "../../parts/Toasts.tsx"
import { headersNeeded } from "../../words.ts"
import { ChangeAddress } from "./ChangeAddress.tsx"
import { useAddressTest } from "./useAddressTest.ts"

type Channel = Versioned<Output<"readChannel">>

export function Settings({ channel }: { channel: Channel }) {
  const { operates, managesChannel } = useAccess()
  const { id } = channel
  return (
    <Rows>
      <Section title="Settings">
        {operates || <Shown channel={channel} />}
        {managesChannel(id) && <Change key={operates ? "" : channel.address} channel={channel} />}
      </Section>
      {managesChannel(id) && (
        <RequestHeaders
          id={id}
          shown={channel}
          set={(request_headers, ifMatch) =>
            api.changeChannel({ id, body: { request_headers } }, { ifMatch })
          }
        />
      )}
      {operates && <Delete channel={channel} />}
    </Rows>
  )
}

const { form } = channelView

/** For whoever may only read the channel. */
function Shown({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const mayChange = channel.partner_may_change_address && managesChannel(channel.id)
  return (
    <>
      <Facts
        facts={[
          ...form.map(({ name, label, empty }) => [label, shown(settingOf(channel, name), empty)] as const),
          ["Created", <Time key="created" at={channel.created_at} format="full" />],
        ]}
      />
      {mayChange && <ChangeAddress channel={channel} />}
    </>
  )
}

const settingOf = (channel: Channel, name: (typeof form)[number]["name"]) =>
  name === "max_per_second" && channel.max_per_second !== null
    ? `${channel.max_per_second} per second`
    : channel[name]

function shown(value: unknown, empty = "–"): string {
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return value === null ? empty : String(value)
}

function changesOf(before: Channel, after: Channel): ChangeChannel {
  const changed = form.filter(({ name }) => after[name] !== before[name])
  return Object.fromEntries(changed.map(({ name }) => [name, after[name]]))
}

const isEmpty = (changes: object) => Object.keys(changes).length === 0

/** A partner changes only how its own receiver verifies, and who is written to. */
function Change({ channel }: { channel: Channel }) {
  const { operates, revealsOf } = useAccess()
  const { id } = channel
  const [opened, setOpened] = useState(channel)
  const [fields, setFields] = useState(channel)
  const set = (change: Partial<Channel>) => setFields((now) => ({ ...now, ...change }))
  const isMasked = channel.contact !== null && !revealsOf(id)
  const changes = changesOf(opened, fields)
  const [headers, setHeaders] = useState(withoutValues(channel.request_header_names))
  const needsHeaders = areNeededAgain(channel.request_header_names, channel.address, fields.address)
  // No conflict: a pause changes the ETag, and no field. After a lost response, the channel has what the fields have.
  const isSame = isEmpty(changesOf(opened, channel)) || isEmpty(changesOf(channel, fields))
  if (isSame && opened !== channel) setOpened(channel)
  const { failed, test } = useAddressTest()
  const { mutate, error, isPending, reset } = useMutation({
    async mutationFn() {
      // A test has the stored headers, which are sent to no other origin, and the stored rules for addresses, and not what is typed.
      if (changes.address !== undefined && changes.partner_may_change_address === undefined && !needsHeaders)
        await test(id, changes.address)
      return versionOf(
        api.changeChannel(
          { id, body: { ...changes, ...(needsHeaders ? { request_headers: headers } : {}) } },
          { ifMatch: opened.etag },
        ),
      )
    },
    onSuccess(after) {
      setOpened(after)
      set({ address: after.address })
      queryClient.setQueryData(channelQuery(id).queryKey, after)
      toast("The channel is changed")
    },
  })
  const isOutdated = hasCode(error, "changed-meanwhile")
  const showCurrent = () => {
    setOpened(channel)
    setFields(channel)
    reset()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate()
      }}
    >
      <Stack gap="md" maw={560}>
        {form
          .filter(({ own }) => operates || own)
          .map((input) => (
            <Fragment key={input.name}>
              <Field
                input={
                  input.name === "contact" && isMasked ? { ...input, hint: maskedHint(input.hint) } : input
                }
                value={fields[input.name]}
                change={(value) => set({ [input.name]: value })}
              />
              {input.name === "address" && needsHeaders && (
                <>
                  <span>{headersNeeded}</span>
                  <HeaderFields headers={headers} change={setHeaders} />
                </>
              )}
            </Fragment>
          ))}
        {isOutdated && !isEmpty(changes) && <ChangedMeanwhile show={showCurrent} />}
        {error && !isOutdated && <ProblemAlert error={error} />}
        <Group>
          <Button
            type="submit"
            loading={isPending}
            disabled={isEmpty(changes) || (needsHeaders && !areComplete(headers))}
          >
            {changes.address === failed ? "Save anyway" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const maskedHint = (hint = "") => `${hint} Masked: the scope personal-data shows it.`

function Delete({ channel: { id } }: { channel: Channel }) {
  const navigate = useNavigate()
  const [force, setForce] = useState(false)
  return (
    <Section title="Delete channel">
      <Stack gap="md" align="start">
        <span>{`Later events of ${id} become invalid events. Its deliveries stay readable until they are old.`}</span>
        <Action
          label="Delete channel"
          danger
          title={`Delete channel ${id}?`}
          confirm={`Delete ${id}`}
          run={() => api.deleteChannel({ id, ...(force ? { force: "true" } : {}) })}
          done={({ pending_deliveries }) =>
            pending_deliveries === 0
              ? `Channel ${id} is deleted`
              : `Channel ${id} is deleted. ${deliveriesOf(formatNumber(pending_deliveries), pending_deliveries === 1)} that waited: dead within a minute`
          }
          then={() => void navigate({ to: "/channels" })}
        >
          <Stack gap="md">
            <span>{`The partner of ${id} gets nothing more, and its signing secrets are deleted. This cannot be undone, and no other channel can have this id.`}</span>
            <Switch
              label="Also if deliveries wait"
              description="They become dead and are not sent. Otherwise, the channel is deleted only if none waits."
              checked={force}
              onChange={(event) => setForce(event.currentTarget.checked)}
            />
          </Stack>
        </Action>
      </Stack>
    </Section>
  )
}
