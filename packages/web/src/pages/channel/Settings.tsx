import { Button, Group, NumberInput, Stack, Switch, TextInput } from "@mantine/core"
import type { Output } from "@sitewire/contracts/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, createPost, type Versioned, versionOf } from "../../api/client.ts"
import { ApiFailure, hasCode } from "../../api/failure.ts"
import { channelQuery } from "../../api/queries.ts"
import { formatNumber } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { ChangedMeanwhile } from "../../parts/ChangedMeanwhile.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { areComplete, areNeededAgain, HeaderFields, withoutValues } from "../../parts/HeaderFields.tsx"
import { Rows, Section } from "../../parts/Page.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { RequestHeaders } from "../../parts/RequestHeaders.tsx"
import { Time } from "../../parts/Time.tsx"
import { toast } from "../../parts/Toasts.tsx"
import { texts } from "../../texts.ts"
import { outcomeOf } from "../delivery/Timeline.tsx"
import { ChangeAddress } from "./ChangeAddress.tsx"

const t = texts.settings
type Channel = Versioned<Output<"readChannel">>

export function Settings({ channel }: { channel: Channel }) {
  const { operates, managesChannel } = useAccess()
  return (
    <Rows>
      <Section title={t.title}>
        {operates || <Shown channel={channel} />}
        {managesChannel(channel.id) && <Change key={operates ? "" : channel.address} channel={channel} />}
      </Section>
      {managesChannel(channel.id) && <ReceiverHeaders channel={channel} />}
      {operates && <Delete channel={channel} />}
    </Rows>
  )
}

function Shown({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const mayChange = channel.partner_may_change_address && managesChannel(channel.id)
  return (
    <Facts
      facts={[
        [
          t.address,
          <Stack key="address" gap="xs" align="start">
            <Mono>{channel.address}</Mono>
            {mayChange && <ChangeAddress channel={channel} />}
          </Stack>,
        ],
        [t.max, channel.max_per_second === null ? t.noMax : t.perSecond(channel.max_per_second)],
        [t.standard, channel.standard_webhooks ? t.on : t.off],
        [t.contact, channel.contact ?? t.noContact],
        [t.created, <Time key="created" at={channel.created_at} format="full" />],
      ]}
    />
  )
}

const names = [
  "address",
  "max_per_second",
  "standard_webhooks",
  "partner_may_change_address",
  "contact",
] as const
type Fields = Pick<Channel, (typeof names)[number]>

function changesOf(before: Fields, after: Fields): Partial<Fields> {
  const changed = names.filter((name) => after[name] !== before[name])
  return Object.fromEntries(changed.map((name) => [name, after[name]]))
}

const isEmpty = (changes: object) => Object.keys(changes).length === 0

/** A partner changes only how its own receiver verifies, and who is written to. */
function Change({ channel }: { channel: Channel }) {
  const { operates, revealsOf } = useAccess()
  const { id } = channel
  const client = useQueryClient()
  const [opened, setOpened] = useState(channel)
  const [fields, setFields] = useState<Fields>(channel)
  const set = (change: Partial<Fields>) => setFields((now) => ({ ...now, ...change }))
  const changes = changesOf(opened, fields)
  const [headers, setHeaders] = useState(withoutValues(channel.request_header_names))
  const needsHeaders = areNeededAgain(channel.request_header_names, channel.address, fields.address)
  // No conflict: a pause changes the ETag, and no field. After a lost response, the channel has what the fields have.
  const isSame = isEmpty(changesOf(opened, channel)) || isEmpty(changesOf(channel, fields))
  if (isSame && opened !== channel) setOpened(channel)
  const { queryKey } = channelQuery(id)
  // An address whose test failed is saved when the button is pressed again.
  const [tested, setTested] = useState(channel.address)
  const { mutate, error, isPending, reset } = useMutation({
    async mutationFn() {
      if (fields.address !== opened.address && fields.address !== tested) {
        setTested(fields.address)
        await testAddress(id, fields.address)
      }
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
      client.setQueryData(queryKey, after)
      toast(t.saved)
    },
    onError: (failure) =>
      hasCode(failure, "changed-meanwhile") ? client.invalidateQueries({ queryKey, exact: true }) : undefined,
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
        {operates && (
          <>
            <TextInput
              label={t.address}
              description={t.addressHint}
              type="url"
              value={fields.address}
              onChange={(event) => set({ address: event.currentTarget.value.trim() })}
            />
            {needsHeaders && (
              <>
                <span>{texts.requestHeaders.needed}</span>
                <HeaderFields headers={headers} change={setHeaders} />
              </>
            )}
            <NumberInput
              label={t.max}
              description={t.maxHint}
              placeholder={t.noMax}
              min={1}
              max={1_000}
              value={fields.max_per_second ?? ""}
              onChange={(value) => set({ max_per_second: value === "" ? null : Number(value) })}
            />
          </>
        )}
        <TextInput
          label={t.contact}
          description={
            channel.contact === null || revealsOf(id) ? t.contactHint : `${t.contactHint} ${t.contactMasked}`
          }
          type="email"
          value={fields.contact ?? ""}
          onChange={(event) => set({ contact: event.currentTarget.value.trim() || null })}
        />
        <Switch
          label={t.standard}
          description={t.standardHint}
          checked={fields.standard_webhooks}
          onChange={(event) => set({ standard_webhooks: event.currentTarget.checked })}
        />
        {operates && (
          <Switch
            label={t.partnerMayChange}
            description={t.partnerMayChangeHint}
            checked={fields.partner_may_change_address}
            onChange={(event) => set({ partner_may_change_address: event.currentTarget.checked })}
          />
        )}
        {isOutdated && !isEmpty(changes) && <ChangedMeanwhile show={showCurrent} />}
        {error && !isOutdated && <ProblemAlert error={error} />}
        <Group>
          <Button
            type="submit"
            loading={isPending}
            disabled={isEmpty(changes) || (needsHeaders && !areComplete(headers))}
          >
            {error && tested === changes.address ? t.saveAnyway : t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Rejects if the receiver does not accept a test delivery. */
async function testAddress(id: string, address: string): Promise<void> {
  const { attempt } = await createPost().post.testChannel({ id, body: { address } })
  if (attempt.error === null) return
  const detail = `${attempt.detail ?? outcomeOf(attempt)}. ${t.notSaved}`
  throw new ApiFailure({ type: "about:blank", title: texts.channel.testFailed, status: 409, detail })
}

function ReceiverHeaders({ channel }: { channel: Channel }) {
  const { id } = channel
  const client = useQueryClient()
  return (
    <RequestHeaders
      id={id}
      shown={channel}
      set={(request_headers, etag) => api.changeChannel({ id, body: { request_headers } }, { ifMatch: etag })}
      refresh={() => client.invalidateQueries({ queryKey: channelQuery(id).queryKey })}
    />
  )
}

function Delete({ channel: { id } }: { channel: Channel }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const [force, setForce] = useState(false)
  return (
    <Section title={t.delete}>
      <Stack gap="md" align="start">
        <span>{t.deleteMore(id)}</span>
        <Action
          label={t.delete}
          danger
          title={t.deleteTitle(id)}
          confirm={t.deleteConfirm(id)}
          run={() => api.deleteChannel({ id, ...(force ? { force: "true" } : {}) })}
          done={({ pending_deliveries }) =>
            t.deleted(id, formatNumber(pending_deliveries), pending_deliveries)
          }
          then={() => {
            void client.invalidateQueries({ queryKey: ["channels", "list"] })
            void navigate({ to: "/channels" })
          }}
        >
          <Stack gap="md">
            <span>{t.deleteExplained(id)}</span>
            <Switch
              label={t.force}
              description={t.forceHint}
              checked={force}
              onChange={(event) => setForce(event.currentTarget.checked)}
            />
          </Stack>
        </Action>
      </Stack>
    </Section>
  )
}
