import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, bodyOf } from "../../api/client.ts"
import { Icon } from "../../parts/Icon.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { texts } from "../../texts.ts"

const t = texts.createConnection

export function CreateConnection() {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
        {t.label}
      </Button>
      {opened && <Dialog close={close} />}
    </>
  )
}

function Dialog({ close }: { close: () => void }) {
  const { operates, sites } = useAccess()
  const [id, setId] = useState("")
  const [site, setSite] = useState(operates ? "" : (sites[0] ?? ""))
  const [source, setSource] = useState("")
  const client = useQueryClient()
  const navigate = useNavigate()
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      bodyOf(api.POST("/v1/connections", { body: { ...(id === "" ? {} : { id }), site, source } })),
    onSuccess(created) {
      void client.invalidateQueries({ queryKey: ["connections"] })
      void navigate({ to: "/connections/$id", params: { id: created.id } })
    },
  })
  return (
    <Modal opened onClose={close} title={t.title} closeButtonProps={{ "aria-label": texts.common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Stack gap="md">
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
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={isPending} disabled={site === "" || source === ""}>
              {t.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
