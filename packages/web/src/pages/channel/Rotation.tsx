import { Stack, Switch, Text } from "@mantine/core"
import type { Channel, StagedSecret } from "@sitewire/contracts"
import { type ReactNode, useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { CopyField } from "../../parts/Copy.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Section } from "../../parts/Page.tsx"
import { State } from "../../parts/State.tsx"
import { Ago } from "../../parts/Time.tsx"
import { forStandardWebhooks } from "../../words.ts"
import { outcomeOf } from "../delivery/Timeline.tsx"
import classes from "./Secrets.module.css"

const steps = {
  stage: {
    title: "Create the new secret",
    what: "The active secret keeps signing. The new one is shown until it is activated.",
  },
  test: {
    title: "Test the new secret",
    what: "A delivery with fictional data shows whether the receiver accepts it. Nothing changes yet.",
    partner: "Let the receiver accept both secrets, and deploy it. Then test it.",
  },
  activate: {
    title: "Activate the new secret",
    what: "From then on it signs every attempt, also of deliveries that wait.",
  },
  retire: {
    title: "Delete the old secret, or return to it",
    what: "It signs nothing any more. Until it is deleted, you can return to it.",
    partner:
      "Remove the old secret from the receiver when the latest attempts were signed by the new one and accepted.",
  },
} as const

const rejected = "The receiver does not accept the secret"

const activation = {
  label: "Activate",
  title: (id: string) => `Activate secret ${id}?`,
  more: (channel: string, old: string) =>
    `Every attempt to ${channel} is signed by it at once. A receiver that knows only ${old} rejects all deliveries.`,
  done: "The new secret signs from now on",
} as const

const reversion = {
  label: "Return to the old secret",
  title: (id: string) => `Sign with the old secret ${id} again?`,
  more: (channel: string, now: string) =>
    `Every attempt to ${channel} is signed by it at once. ${now} is kept, so that you can return to it, too.`,
  done: "The old secret signs again",
} as const

type SecretTest = NonNullable<NonNullable<Channel["other_secret"]>["test"]>
type Staged = Pick<StagedSecret, "staged_secret" | "standard_webhooks_secret">

type Step = keyof typeof steps
const order = Object.keys(steps) as Step[]

/** It follows from what the API has stored, so that the rotation can be continued later, and by others. */
function nextStep({ other_secret }: Channel): Step {
  if (other_secret === null) return "stage"
  if (other_secret.state === "retiring") return "retire"
  return other_secret.test?.error === null ? "activate" : "test"
}

export function Rotation({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const { id, other_secret } = channel
  const test = other_secret?.test ?? null
  const [staged, setStaged] = useState<Staged | null>(null)
  // If the response with the new secret is lost, the channel has it already, but the dialog must stay to ask again.
  const [staging, setStaging] = useState(false)
  const now = staging ? "stage" : nextStep(channel)
  const isStaged = !staging && other_secret?.state === "staged"
  const manages = managesChannel(id)
  const done = () => setStaged(null)
  const contents: Record<Step, ReactNode> = {
    stage: now === "stage" && manages && (
      <Action
        label="Create new secret"
        variant="filled"
        title={`Create a new secret for ${id}?`}
        onToggle={setStaging}
        run={(post) => post.stageSecret({ id })}
        then={setStaged}
      >
        Nothing changes for the partner yet. Have a secure place for the new secret ready.
      </Action>
    ),
    test: isStaged && (
      <>
        {staged && <NewSecret staged={staged} />}
        {now === "test" && <ForPartner step="test" />}
        {test && <TestResult test={test} />}
        {manages && (
          <div className={classes.actions}>
            <Action
              label={test === null ? "Test new secret" : "Test again"}
              variant={now === "test" ? "filled" : "default"}
              title="Test the new secret?"
              run={(post) => post.testSecret({ id })}
            >
              {`One delivery with fictional data is sent to ${channel.address}, signed only by the new secret.`}
            </Action>
            {staged === null && (
              <Action
                label="Show new secret"
                icon="eye"
                title="Show the new secret?"
                run={() => api.readStagedSecret({ id })}
                then={setStaged}
              >
                The audit log shows who did.
              </Action>
            )}
            <Retire channel={channel} done={done} />
          </div>
        )}
      </>
    ),
    activate: isStaged && manages && <UseOther channel={channel} isNow={now === "activate"} done={done} />,
    retire: now === "retire" && (
      <>
        <ForPartner step="retire" />
        {manages && (
          <div className={classes.actions}>
            <Retire channel={channel} done={done} />
            <UseOther channel={channel} isNow={false} done={done} />
          </div>
        )}
      </>
    ),
  }
  return (
    <Section title="Rotate the signing secret">
      <Text size="sm" mb="md">
        Four steps replace the secret without a failed delivery. You can leave the page between them: it shows
        the next step, also to others.
      </Text>
      <ol className={classes.steps}>
        {order.map((step) => {
          const state = step === now ? "now" : order.indexOf(step) < order.indexOf(now) ? "done" : "later"
          return (
            <li key={step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
              <div className={classes.step}>
                <strong>{steps[step].title}</strong>
                {/* A secret can be activated without a test. */}
                {state === "done" && step !== "test" && <State kind="good">Done</State>}
              </div>
              <p>{steps[step].what}</p>
              {contents[step] && (
                <Stack gap="sm" align="start">
                  {contents[step]}
                </Stack>
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function ForPartner({ step }: { step: "test" | "retire" }) {
  return (
    <Notice kind="idle" title="What the partner must do now">
      {steps[step].partner}
    </Notice>
  )
}

function NewSecret({ staged: { staged_secret, standard_webhooks_secret } }: { staged: Staged }) {
  return (
    <div className={classes.secret}>
      <Notice kind="warn" title="Store the new secret now">
        Nobody can read it after its activation. Give it to the partner over a secure channel.
      </Notice>
      <CopyField label="New signing secret" value={staged_secret} what="New signing secret" />
      <CopyField label={forStandardWebhooks} value={standard_webhooks_secret} what={forStandardWebhooks} />
    </div>
  )
}

function TestResult({ test }: { test: SecretTest }) {
  const isAccepted = test.error === null
  return (
    <div role="status">
      <Notice
        kind={isAccepted ? "good" : "bad"}
        title={isAccepted ? "The receiver accepts the secret" : rejected}
      >
        {outcomeOf(test)} <Ago at={test.at} />
      </Notice>
    </div>
  )
}

/** Activates the staged secret, or returns to the retiring one. Warns unless a test has found that the receiver accepts it. */
function UseOther({
  channel: { id, secret_id, other_secret },
  isNow,
  done,
}: {
  channel: Channel
  isNow: boolean
  done: () => void
}) {
  const [force, setForce] = useState(false)
  const { id: other = "", test = null } = other_secret ?? {}
  const step = other_secret?.state === "staged" ? activation : reversion
  return (
    <Action
      label={step.label}
      variant={isNow ? "filled" : "default"}
      title={step.title(other)}
      run={(post) =>
        (other_secret?.state === "staged" ? post.activateSecret : post.revertSecret)({
          id,
          secret_id: other,
          force: force || undefined,
        })
      }
      done={step.done}
      then={() => {
        setForce(false)
        done()
      }}
    >
      <Stack gap="md">
        <span>{step.more(id, secret_id)}</span>
        {test?.error !== null && (
          <>
            <Notice
              kind="warn"
              title={test ? rejected : "No test has shown that the receiver accepts this secret"}
            >
              If the receiver does not accept it, all deliveries fail. They are retried, and you can return.
            </Notice>
            <Switch
              label="Also if the receiver rejected it"
              description="If the last test found that the receiver does not accept the secret, all deliveries fail."
              checked={force}
              onChange={(event) => setForce(event.currentTarget.checked)}
            />
          </>
        )}
      </Stack>
    </Action>
  )
}

/** Deletes the retiring secret, which ends the rotation, or the staged one, which abandons it. */
function Retire({ channel: { id, other_secret }, done }: { channel: Channel; done: () => void }) {
  const other = other_secret?.id ?? ""
  const isLast = other_secret?.state === "retiring"
  return (
    <Action
      label={isLast ? "Delete old secret" : "Abandon rotation"}
      variant={isLast ? "filled" : "default"}
      danger
      title={isLast ? `Delete the old secret ${other}?` : `Delete the new secret ${other}?`}
      run={(post) => post.retireSecret({ id, secret_id: other })}
      done="The secret is deleted"
      then={done}
    >
      {isLast
        ? `The rotation of ${id} is then finished. The secret cannot be brought back.`
        : "The active secret stays. The new one is deleted and was never used."}
    </Action>
  )
}
