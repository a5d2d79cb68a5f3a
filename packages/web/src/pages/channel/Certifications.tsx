import { Group, Select, Text, TextInput } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { bodyOf, type Schemas } from "../../api/client.ts"
import { certificationQuery, certificationsQuery } from "../../api/queries.ts"
import { useWrite } from "../../api/useWrite.ts"
import { formatTime } from "../../format.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { FormDialog } from "../../parts/FormDialog.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Empty, Rows, Section } from "../../parts/Page.tsx"
import { State } from "../../parts/State.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { languages } from "../delivery/verifyCode.ts"
import { HowToVerify } from "./HowToVerify.tsx"
import { Report } from "./Report.tsx"

const t = texts.certification

/** The reports about the partner's receiver. */
export function Certifications({ channel }: { channel: Schemas["Channel"] }) {
  const { managesChannel } = useAccess()
  const { data, error, refetch } = useQuery(certificationsQuery(channel.id))
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = chosen ?? data?.data[0]?.id ?? null
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  return (
    <Rows>
      <Section
        title={t.title}
        aside={managesChannel(channel.id) && <Certify channel={channel} started={setChosen} />}
      >
        <Text size="sm">{t.intro}</Text>
        {data.data.length > 1 && (
          <Select
            mt="md"
            maw={420}
            label={t.earlier}
            allowDeselect={false}
            value={shown}
            onChange={setChosen}
            data={data.data.map((one) => ({ value: one.id, label: labelOf(one) }))}
          />
        )}
      </Section>
      {shown === null ? (
        <Section>
          <Empty title={t.none}>{t.noneMore}</Empty>
        </Section>
      ) : (
        <Shown channel={channel.id} id={shown} />
      )}
      <HowToVerify />
    </Rows>
  )
}

function labelOf({ created_at, result, state }: Schemas["CertificationSummary"]): string {
  return `${formatTime(new Date(created_at), "full")} · ${result ? t.results[result] : t.states[state]}`
}

function Shown({ channel, id }: { channel: string; id: string }) {
  const { data, error, refetch } = useQuery(certificationQuery(channel, id))
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  const { state, result } = data
  return (
    <Section
      title={data.address}
      flush
      aside={
        <Group gap="sm">
          <Text size="sm" c="dimmed" component="span">
            <Time at={data.created_at} />
          </Text>
          {result ? (
            <State kind={result === "passed" ? "good" : "bad"}>{t.results[result]}</State>
          ) : (
            <State kind={state === "failed" ? "bad" : "busy"}>{t.states[state]}</State>
          )}
        </Group>
      }
    >
      <Report certification={data} />
    </Section>
  )
}

function Certify({ channel, started }: { channel: Schemas["Channel"]; started: (id: string) => void }) {
  return (
    <DialogButton label={t.certify} variant="filled">
      {(close) => <Dialog channel={channel} started={started} close={close} />}
    </DialogButton>
  )
}

function Dialog({
  channel: { id, address: own },
  started,
  close,
}: {
  channel: Schemas["Channel"]
  started: (id: string) => void
  close: () => void
}) {
  const client = useQueryClient()
  const [address, setAddress] = useState(own)
  const [language, setLanguage] = useState<Schemas["CertificationSummary"]["language"]>("node")
  const request = useWrite({
    run: (post) =>
      bodyOf(
        post("/v1/channels/{id}/certifications", {
          params: { path: { id } },
          body: { ...(language ? { language } : {}), ...(address === own ? {} : { address }) },
        }),
      ),
    async onSuccess(certification) {
      await client.invalidateQueries({ queryKey: certificationsQuery(id).queryKey, exact: true })
      started(certification.id)
      close()
    },
  })
  return (
    <FormDialog title={t.certifyTitle} submit={t.certify} request={request} close={close}>
      <Text size="sm">{t.certifyMore}</Text>
      <TextInput
        label={t.address}
        description={t.addressHint}
        type="url"
        required
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value.trim())}
      />
      <Select
        label={t.language}
        description={t.languageHint}
        allowDeselect={false}
        data={languages.map(({ id: value, name }) => ({ value, label: name }))}
        value={language}
        onChange={(value) => setLanguage(languages.find((one) => one.id === value)?.id ?? null)}
      />
    </FormDialog>
  )
}
