import { Button, Group, Modal, Select, Stack, TextInput } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, bodyOf } from "../../api/client.ts"
import { CopyField } from "../../parts/CopyField.tsx"
import { Icon } from "../../parts/Icon.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { texts } from "../../texts.ts"
import { fromLocal } from "../deliveries/localTime.ts"
import { SignInLink } from "./SignInLink.tsx"

const t = texts.createKey
const kinds = ["operate", "read", "channel", "site"] as const
type Kind = (typeof kinds)[number]

export function CreateKey() {
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
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("channel")
  const [of, setOf] = useState("")
  const [expires, setExpires] = useState("")
  const client = useQueryClient()
  const needsName = kind === "channel" || kind === "site"
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => {
      const expires_at = fromLocal(expires)
      const scopes = [needsName ? `${kind}:${of}` : kind]
      return bodyOf(api.POST("/v1/keys", { body: { name, scopes, ...(expires_at ? { expires_at } : {}) } }))
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["keys"] }),
  })
  if (data)
    return (
      <Modal
        opened
        onClose={close}
        title={t.created(data.name)}
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <Stack gap="md">
          <Notice kind="warn" title={t.once}>
            {t.onceMore}
          </Notice>
          <CopyField label={t.key} value={data.key} what={t.key} />
          <SignInLink apiKey={data.key} />
          <Button onClick={close}>{t.stored}</Button>
        </Stack>
      </Modal>
    )
  return (
    <Modal opened onClose={close} title={t.title} closeButtonProps={{ "aria-label": texts.common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          mutate()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t.name}
            description={t.nameHint}
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Select
            label={t.kind}
            description={t.explain[kind]}
            allowDeselect={false}
            data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
            value={kind}
            onChange={(value) => setKind(kinds.find((one) => one === value) ?? "channel")}
          />
          {needsName && (
            <TextInput
              label={kind === "channel" ? t.channel : t.site}
              placeholder={kind === "channel" ? "acme" : "bakery.example"}
              required
              value={of}
              onChange={(event) => setOf(event.currentTarget.value.trim())}
            />
          )}
          <TextInput
            type="datetime-local"
            label={t.expires}
            description={t.expiresHint}
            value={expires}
            onChange={(event) => setExpires(event.currentTarget.value)}
          />
          {error && <ProblemAlert error={error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={isPending} disabled={name === "" || (needsName && of === "")}>
              {t.label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
