import { SegmentedControl, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useState } from "react"
import { type Post, postDryRun } from "../../api/client.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { useDryRun } from "../../parts/job/useDryRun.ts"
import { Notice } from "../../parts/Notice.tsx"
import { texts } from "../../texts.ts"

const t = texts.erase
const kinds = ["email", "site_url"] as const
type Subject = { kind: (typeof kinds)[number]; text: string }

/** Erases all data of a person or a site. */
export function Erase() {
  return (
    <DialogButton label={t.label} danger>
      {(close) => <Dialog close={close} />}
    </DialogButton>
  )
}

function Dialog({ close }: { close: () => void }) {
  const [subject, setSubject] = useState<Subject>({ kind: "email", text: "" })
  const [counted] = useDebouncedValue(subject, 600)
  const { kind, text } = subject
  const isComplete = counted.kind === "email" ? /\S@\S/.test(counted.text) : URL.canParse(counted.text)
  const count = useDryRun(
    ["erasure", counted.kind, counted.text.trim()],
    (signal) => erase(postDryRun, counted, { reason: "count", dry_run: true }, signal),
    { enabled: isComplete },
  )
  return (
    <StartJob
      title={t.title}
      confirm={t.confirm}
      danger
      ready={counted === subject && count.data !== undefined}
      start={(post, reason) => erase(post, counted, { reason, dry_run: false })}
      close={close}
    >
      <SegmentedControl
        aria-label={t.of}
        value={kind}
        onChange={(value) => {
          setSubject({ kind: kinds.find((one) => one === value) ?? "email", text: "" })
        }}
        data={kinds.map((value) => ({ value, label: t.kinds[value] }))}
      />
      <TextInput
        label={t[kind]}
        description={kind === "email" ? t.emailHint : t.siteHint}
        type={kind === "email" ? "email" : "url"}
        required
        value={text}
        onChange={(event) => setSubject({ kind, text: event.currentTarget.value })}
        data-autofocus
      />
      {isComplete && count.data?.matching !== 0 && (
        <DryRunNotice count={count} title={t.matching}>
          {t.explain}
        </DryRunNotice>
      )}
      {isComplete && (
        <Text size="sm" c="dimmed">
          {t.also}
        </Text>
      )}
      {count.data?.matching === 0 && <Notice kind="idle" role="status" title={t.nothing} />}
    </StartJob>
  )
}

function erase(
  post: Post,
  { kind, text }: Subject,
  how: { reason: string; dry_run: boolean },
  signal?: AbortSignal,
) {
  const subject = kind === "email" ? { email: text.trim() } : { site_url: text.trim() }
  return post.createErasureJob({ body: { ...subject, ...how } }, { signal })
}
