import { Button, Group, NumberInput, Stack, Switch, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { formatNumber } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Rows, Section } from "../../parts/Page.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { Time } from "../../parts/Time.tsx"
import { toast } from "../../parts/Toasts.tsx"
import { texts } from "../../texts.ts"

const t = texts.settings
type Channel = Schemas["Channel"]

export function Settings({ channel }: { channel: Channel }) {
  const { operates } = useAccess()
  return (
    <Rows>
      <Section title={t.title}>
        {operates ? <Change channel={channel} /> : <Shown channel={channel} />}
      </Section>
      {operates && <Delete channel={channel} />}
    </Rows>
  )
}

function Shown({ channel }: { channel: Channel }) {
  return (
    <Facts
      facts={[
        [t.address, <Mono key="address">{channel.address}</Mono>],
        [t.max, channel.max_per_second === null ? t.noMax : t.perSecond(channel.max_per_second)],
        [t.standard, channel.standard_webhooks ? t.on : t.off],
        [t.traceparent, channel.send_traceparent ? t.on : t.off],
        [t.created, <Time key="created" at={channel.created_at} format="full" />],
      ]}
    />
  )
}

function Change({ channel }: { channel: Channel }) {
  const { id } = channel
  const client = useQueryClient()
  const [address, setAddress] = useState(channel.address)
  const [max, setMax] = useState(channel.max_per_second)
  const [standard, setStandard] = useState(channel.standard_webhooks)
  const [traceparent, setTraceparent] = useState(channel.send_traceparent)
  const [notified, setNotified] = useState(channel.operator_notifications)
  const changes = {
    ...(address === channel.address ? {} : { address }),
    ...(max === channel.max_per_second ? {} : { max_per_second: max }),
    ...(notified === channel.operator_notifications ? {} : { operator_notifications: notified }),
    ...(standard === channel.standard_webhooks ? {} : { standard_webhooks: standard }),
    ...(traceparent === channel.send_traceparent ? {} : { send_traceparent: traceparent }),
  }
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => bodyOf(api.PATCH("/v1/channels/{id}", { params: { path: { id } }, body: changes })),
    onSuccess(after) {
      setAddress(after.address)
      client.setQueryData(["channels", id], after)
      toast(t.saved)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate()
      }}
    >
      <Stack gap="md" maw={560}>
        <TextInput
          label={t.address}
          description={t.addressHint}
          type="url"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value.trim())}
        />
        <NumberInput
          label={t.max}
          description={t.maxHint}
          placeholder={t.noMax}
          min={1}
          max={1_000}
          value={max ?? ""}
          onChange={(value) => setMax(value === "" ? null : Number(value))}
        />
        <Switch
          label={t.standard}
          description={t.standardHint}
          checked={standard}
          onChange={(event) => setStandard(event.currentTarget.checked)}
        />
        <Switch
          label={t.traceparent}
          description={t.traceparentHint}
          checked={traceparent}
          onChange={(event) => setTraceparent(event.currentTarget.checked)}
        />
        <Switch
          label={t.notifications}
          description={t.notificationsHint}
          checked={notified}
          onChange={(event) => setNotified(event.currentTarget.checked)}
        />
        {error && <ProblemAlert error={error} />}
        <Group>
          <Button type="submit" loading={isPending} disabled={Object.keys(changes).length === 0}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
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
          run={() =>
            bodyOf(
              api.DELETE("/v1/channels/{id}", {
                params: { path: { id }, query: force ? { force: "true" } : {} },
              }),
            )
          }
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
