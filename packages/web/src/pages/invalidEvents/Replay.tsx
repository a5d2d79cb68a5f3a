import { Autocomplete, Button, Group, Modal, NumberInput, Stack, TextInput } from "@mantine/core"
import { useDebouncedValue, useDisclosure } from "@mantine/hooks"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { formatNumber } from "../../format.ts"
import { Icon } from "../../parts/Icon.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { texts } from "../../texts.ts"

const t = texts.replay

/** Publishes invalid events again, for instance after their channel was created. */
export function Replay({ rows }: { rows: readonly Schemas["InvalidEvent"][] }) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="resend" size={16} />} onClick={open}>
        {t.label}
      </Button>
      {opened && <Dialog reasons={[...new Set(rows.map(({ reason }) => reason))]} close={close} />}
    </>
  )
}

function Dialog({ reasons, close }: { reasons: string[]; close: () => void }) {
  const navigate = useNavigate()
  const [rejection, setRejection] = useState(reasons[0] ?? "")
  const [rate, setRate] = useState(50)
  const [reason, setReason] = useState("")
  const [counted] = useDebouncedValue(rejection.trim(), 400)
  const count = useQuery({
    queryKey: ["jobs", "count replay", counted],
    enabled: counted !== "",
    queryFn: async () => {
      const body = { filter: { reason: counted }, reason: "count", per_second: 50, dry_run: true }
      return (await bodyOf(api.POST("/v1/jobs/replay", { body }))) as Schemas["DryRun"]
    },
    gcTime: 0,
    retry: false,
  })
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const filter = { reason: rejection.trim() }
      const body = { filter, reason: reason.trim(), per_second: rate, dry_run: false }
      return (await bodyOf(api.POST("/v1/jobs/replay", { body }))) as Schemas["Job"]
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
          <Autocomplete
            label={t.rejection}
            description={t.rejectionHint}
            data={reasons}
            value={rejection}
            onChange={setRejection}
            data-autofocus
          />
          {count.error ? (
            <ProblemAlert error={count.error} />
          ) : (
            <Notice
              kind={matching ? "warn" : "idle"}
              role="status"
              title={
                matching === undefined
                  ? texts.bulkResend.counting
                  : t.matching(formatNumber(matching), matching === 1, count.data?.complete ?? true)
              }
            >
              {t.explain}
            </Notice>
          )}
          <NumberInput
            label={t.rate}
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
          />
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={isPending} disabled={!matching || reason.trim() === ""}>
              {t.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
