import { Button, Group, Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import type { DeliveryFilter } from "../../api/queries.ts"
import { formatNumber, formatSpan } from "../../format.ts"
import { Icon } from "../../parts/Icon.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { texts } from "../../texts.ts"

const t = texts.bulkResend

type ResendFilter = Schemas["CreateResendJob"]["filter"]

/** Resends what the list shows. Null: a job has no such filter. */
function resendFilterOf(filter: DeliveryFilter): ResendFilter | null {
  const { channel, state, created_after, created_before, ...others } = filter
  if (Object.keys(others).length > 0 || state === "erased") return null
  return { channel, state, created_after, created_before }
}

export function BulkResend({ filter }: { filter: DeliveryFilter }) {
  const [opened, { open, close }] = useDisclosure(false)
  const resendFilter = resendFilterOf(filter)
  if (!resendFilter) return null
  return (
    <>
      <Button variant="default" leftSection={<Icon name="resend" size={16} />} onClick={open}>
        {t.label}
      </Button>
      {opened && <Dialog filter={resendFilter} close={close} />}
    </>
  )
}

function Dialog({ filter, close }: { filter: ResendFilter; close: () => void }) {
  const [rate, setRate] = useState(50)
  const [reason, setReason] = useState("")
  const navigate = useNavigate()
  const count = useQuery({
    queryKey: ["jobs", "count resend", filter],
    queryFn: async () => {
      const body = { filter, reason: "count", per_second: 50, dry_run: true }
      return (await bodyOf(api.POST("/v1/jobs/resend", { body }))) as Schemas["DryRun"]
    },
    gcTime: 0,
  })
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const body = { filter, reason: reason.trim(), per_second: rate, dry_run: false }
      return (await bodyOf(api.POST("/v1/jobs/resend", { body }))) as Schemas["Job"]
    },
    onSuccess: ({ id }) => void navigate({ to: "/jobs/$id", params: { id } }),
  })
  const matching = count.data?.matching
  return (
    <Modal opened onClose={close} title={t.title} closeButtonProps={{ "aria-label": texts.common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Stack gap="md">
          {count.error ? (
            <ProblemAlert error={count.error} />
          ) : (
            <Notice
              kind={matching === 0 ? "idle" : "warn"}
              role="status"
              title={
                matching === undefined
                  ? t.counting
                  : t.matching(formatNumber(matching), matching === 1, count.data?.complete ?? true)
              }
            >
              {matching !== undefined && matching > 0 && t.explain(formatSpan((matching / rate) * 1_000))}
              {(count.data?.left_out ?? 0) > 0 && ` ${t.leftOut(formatNumber(count.data?.left_out ?? 0))}`}
            </Notice>
          )}
          {filter.state === undefined && (
            <Text size="sm" c="dimmed">
              {t.anyState}
            </Text>
          )}
          <NumberInput
            label={t.rate}
            description={t.rateHint}
            min={1}
            max={1_000}
            value={rate}
            onChange={(value) => setRate(Math.min(1_000, Math.max(1, Number(value) || 1)))}
          />
          <TextInput
            label={texts.common.reason}
            description={texts.common.reasonHint}
            required
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={isPending} disabled={!matching || reason.trim() === ""}>
              {matching === undefined ? t.label : t.confirm(formatNumber(matching))}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
