import { SegmentedControl, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { texts } from "../../texts.ts"

const t = texts.erase
const kinds = ["email", "site_url"] as const
type Kind = (typeof kinds)[number]

/** Erases all data of a person or a site. */
export function Erase() {
  return (
    <DialogButton label={t.label} danger>
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [kind, setKind] = useState<Kind>("email")
  const [text, setText] = useState("")
  const [counted] = useDebouncedValue({ kind, text: text.trim() }, 600)
  const isComplete = counted.kind === "email" ? /\S@\S/.test(counted.text) : URL.canParse(counted.text)
  const count = useQuery({
    // The query is removed at once, so that the page does not keep the address.
    queryKey: ["jobs", "count erasure", counted],
    enabled: isComplete,
    queryFn: async () => (await erase(counted, "count", true)) as Schemas["DryRun"],
    gcTime: 0,
    retry: false,
  })
  const isCounted = counted.kind === kind && counted.text === text.trim()
  return (
    <StartJob
      title={t.title}
      confirm={t.confirm}
      danger
      ready={isCounted && count.data !== undefined}
      start={(reason) => erase(counted, reason, false)}
      close={close}
    >
      <SegmentedControl
        aria-label={t.of}
        value={kind}
        onChange={(value) => {
          setKind(kinds.find((one) => one === value) ?? "email")
          setText("")
        }}
        data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
      />
      <TextInput
        label={t[kind]}
        description={kind === "email" ? t.emailHint : t.siteHint}
        type={kind === "email" ? "email" : "url"}
        required
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {isComplete && count.data?.matching !== 0 && (
        <DryRunNotice count={count} title={t.matching}>
          {t.explain}
        </DryRunNotice>
      )}
      {count.data?.matching === 0 && <Notice kind="idle" role="status" title={t.nothing} />}
    </StartJob>
  )
}

function erase({ kind, text }: { kind: Kind; text: string }, reason: string, dry_run: boolean) {
  const subject = kind === "email" ? { email: text } : { site_url: text }
  return bodyOf(api.POST("/v1/jobs/erasure", { body: { ...subject, reason, dry_run } }))
}
