import { Button, Select, Stack, Text, TextInput } from "@mantine/core"
import type { ScopeName } from "@sitewire/contracts"
import { useState } from "react"
import { useWrite } from "../../api/useWrite.ts"
import { ChannelInput } from "../../parts/ChannelInput.tsx"
import { CopyField } from "../../parts/Copy.tsx"
import { DialogButton, FormDialog } from "../../parts/FormDialog.tsx"
import { fromLocal } from "../../parts/localTime.ts"
import { ProblemAlert } from "../../parts/Notice.tsx"
import { SecretDialog } from "../../parts/SecretDialog.tsx"

const explanations = {
  operate: "For operators: channels, connections, deliveries and jobs.",
  "personal-data": "For data protection: reveal the bodies of deliveries, and erase.",
  admin: "For administrators: keys with any scope, and the audit log.",
  read: "For dashboards and support.",
  publisher: "For services that publish events: what became of an event, and invalid events.",
  channel: "For a partner's developers: read, resend, test, and rotate the secret.",
  site: "For a site's owner: its connections. The site must have one.",
  connection: "For the partner that is fetched from: its triggers and syncs, without the content.",
} as const

const kindNames = {
  operate: "Operate",
  "personal-data": "Personal data",
  admin: "Administer",
  read: "Read",
  publisher: "Publish",
  channel: "One channel",
  site: "One site",
  connection: "One connection",
} as const

const kinds = [
  ...(["operate", "personal-data", "admin", "read", "publisher"] as const),
  ...(["channel", "site", "connection"] as const),
] satisfies ScopeName[]
const placeholders: Partial<Record<ScopeName, string>> = {
  channel: "acme",
  site: "bakery.example",
  connection: "bakery-products",
}
type Kind = (typeof kinds)[number]

export function CreateKey() {
  return (
    <DialogButton label="Create key" icon="plus" variant="filled">
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [name, setName] = useState("")
  const [kind, setKind] = useState<Kind>("channel")
  const [of, setOf] = useState("")
  const [expires, setExpires] = useState("")
  const placeholder = placeholders[kind]
  const needsName = placeholder !== undefined
  const request = useWrite({
    run: (post) => {
      const expires_at = fromLocal(expires)
      const scopes = [needsName ? `${kind}:${of}` : kind]
      return post.createApiKey({ body: { name, scopes, ...(expires_at ? { expires_at } : {}) } })
    },
  })
  const { data } = request
  if (data)
    return (
      <SecretDialog
        title={`The key “${data.name}” is created`}
        label="API key"
        secret={data.key}
        close={close}
      >
        <SignInLink apiKey={data.key} />
      </SecretDialog>
    )
  return (
    <FormDialog
      title="Create an API key"
      submit="Create key"
      ready={name !== "" && !(needsName && of === "")}
      request={request}
      close={close}
    >
      <TextInput
        label="Name"
        description="Who uses it. It is written to the audit log, so name a role and not a person."
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <Select
        label="May do"
        description={explanations[kind]}
        allowDeselect={false}
        data={kinds.map((value) => ({ value, label: kindNames[value] }))}
        value={kind}
        onChange={(value) => setKind(kinds.find((one) => one === value) ?? "channel")}
      />
      {kind === "channel" && (
        <ChannelInput
          label="Channel"
          placeholder={placeholders.channel}
          required
          value={of}
          change={(value) => setOf(value.trim())}
        />
      )}
      {needsName && kind !== "channel" && (
        <TextInput
          label={kind === "site" ? "Host of the site" : "Connection"}
          placeholder={placeholder}
          required
          value={of}
          onChange={(event) => setOf(event.currentTarget.value.trim())}
        />
      )}
      <TextInput
        type="datetime-local"
        label="Expires (optional)"
        description="Default: never."
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </FormDialog>
  )
}

/** A link that signs in as the new key. Only the key itself may create it, so the request is sent with the key. */
function SignInLink({ apiKey }: { apiKey: string }) {
  const { mutate, data, error, isPending } = useWrite({
    run: (post) => post.createSignInLink({}, { authorization: `Bearer ${apiKey}` }),
  })
  return (
    <Stack gap="xs">
      <Text size="sm">
        Instead of the key, you can pass on a link, which signs in to this console once, within 10 minutes.
      </Text>
      {error && <ProblemAlert error={error} />}
      {data ? (
        <CopyField label="Sign-in link" value={data.url} what="Sign-in link" />
      ) : (
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          Create a sign-in link
        </Button>
      )}
    </Stack>
  )
}
