import { SegmentedControl, Text, TextInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { deliveriesOf } from "@sitewire/contracts/partnerMessage"
import { useState } from "react"
import { type Post, postDryRun } from "../../api/client.ts"
import { DialogButton } from "../../parts/FormDialog.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { DryRunNotice, StartJob, useDryRun } from "../../parts/StartJob.tsx"

const kinds = ["email", "site_url"] as const
const names = { email: "a person", site_url: "a site" }
type Subject = { kind: (typeof kinds)[number]; text: string }

/** Erases all data of a person or a site. */
export function Erase() {
  return (
    <DialogButton label="Erase data" danger>
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
  // A count that took too long may not have reached them.
  const isNone = count.data?.matching === 0 && count.data.complete
  return (
    <StartJob
      title="Erase the data of a person or a site"
      confirm="Erase"
      danger
      ready={counted === subject && count.data !== undefined}
      start={(post, reason) => erase(post, counted, { reason, dry_run: false })}
      close={close}
    >
      <SegmentedControl
        aria-label="Data of"
        value={kind}
        onChange={(value) => {
          setSubject({ kind: kinds.find((one) => one === value) ?? "email", text: "" })
        }}
        data={kinds.map((value) => ({ value, label: names[value] }))}
      />
      <TextInput
        label={kind === "email" ? "E-mail address" : "URL of the site"}
        description={kind === "email" ? "Upper and lower case are equal." : "Such as https://bakery.example"}
        type={kind === "email" ? "email" : "url"}
        required
        value={text}
        onChange={(event) => setSubject({ kind, text: event.currentTarget.value })}
        data-autofocus
      />
      {isComplete && !isNone && (
        <DryRunNotice count={count} title={(count, one) => `${deliveriesOf(count, one)} will be erased`}>
          Deleted are their bodies and hashes, the keys by which a search finds them, the request headers and
          the partners' responses of their attempts. They are never sent again. This cannot be undone.
        </DryRunNotice>
      )}
      {isComplete && (
        <Text size="sm" c="dimmed">
          Also deleted are the replaced contents of all connections, because they may name anybody. Attempts
          with their times and results stay, and what partners have received.
        </Text>
      )}
      {isNone && (
        <Notice kind="idle" role="status" title="No delivery has such data. The job still proves it." />
      )}
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
