import { Stack, Switch, Text } from "@mantine/core"
import type { Channel, StagedSecret } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { CopyField } from "../../parts/CopyField.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Section } from "../../parts/Page.tsx"
import { State } from "../../parts/State.tsx"
import { Ago } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { outcomeOf } from "../delivery/Timeline.tsx"
import classes from "./Secrets.module.css"

const t = texts.secrets
type SecretTest = NonNullable<NonNullable<Channel["other_secret"]>["test"]>
type Staged = Pick<StagedSecret, "staged_secret" | "standard_webhooks_secret">

const steps = ["stage", "test", "activate", "retire"] as const
type Step = (typeof steps)[number]

/** It follows from what the API has stored, so that the rotation can be continued later, and by others. */
function nextStep({ other_secret }: Channel): Step {
  if (other_secret === null) return "stage"
  if (other_secret.state === "retiring") return "retire"
  return other_secret.test?.error === null ? "activate" : "test"
}

export function Rotation({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const client = useQueryClient()
  const test = channel.other_secret?.test ?? null
  const [staged, setStaged] = useState<Staged | null>(null)
  // If the response with the new secret is lost, the channel has it already, but the dialog must stay to ask again.
  const [staging, setStaging] = useState(false)
  const now = staging ? "stage" : nextStep(channel)
  const isStaged = !staging && channel.other_secret?.state === "staged"
  const manages = managesChannel(channel.id)
  const refresh = () => void client.invalidateQueries({ queryKey: ["channels", channel.id] })
  const done = () => {
    setStaged(null)
    refresh()
  }
  const contents: Record<Step, ReactNode> = {
    stage: now === "stage" && manages && (
      <Stage
        channel={channel}
        toggled={setStaging}
        done={(secret) => {
          setStaged(secret)
          refresh()
        }}
      />
    ),
    test: isStaged && (
      <>
        {staged && <NewSecret staged={staged} />}
        {now === "test" && <ForPartner step="test" />}
        {test && <TestResult test={test} />}
        {manages && (
          <div className={classes.actions}>
            <Test channel={channel} test={test} isNow={now === "test"} done={refresh} />
            {staged === null && <ShowSecret channel={channel} done={setStaged} />}
            <Retire channel={channel} done={done} />
          </div>
        )}
      </>
    ),
    activate: isStaged && manages && (
      <UseOther channel={channel} test={test} isNow={now === "activate"} done={done} />
    ),
    retire: now === "retire" && (
      <>
        <ForPartner step="retire" />
        {manages && (
          <div className={classes.actions}>
            <Retire channel={channel} done={done} />
            <UseOther channel={channel} test={test} isNow={false} done={done} />
          </div>
        )}
      </>
    ),
  }
  return (
    <Section title={t.rotation}>
      <Text size="sm" mb="md">
        {t.intro}
      </Text>
      <ol className={classes.steps}>
        {steps.map((step) => {
          const state = step === now ? "now" : steps.indexOf(step) < steps.indexOf(now) ? "done" : "later"
          return (
            <li key={step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
              <div className={classes.step}>
                <strong>{t.steps[step].title}</strong>
                {/* A secret can be activated without a test. */}
                {state === "done" && step !== "test" && <State kind="good">{t.done}</State>}
              </div>
              <p>{t.steps[step].what}</p>
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
    <Notice kind="idle" title={t.partner}>
      {t.steps[step].partner}
    </Notice>
  )
}

function NewSecret({ staged: { staged_secret, standard_webhooks_secret } }: { staged: Staged }) {
  return (
    <div className={classes.secret}>
      <Notice kind="warn" title={t.once}>
        {t.onceMore}
      </Notice>
      <CopyField label={t.newSecret} value={staged_secret} what={t.newSecret} />
      <CopyField
        label={texts.createChannel.whsec}
        value={standard_webhooks_secret}
        what={texts.createChannel.whsec}
      />
    </div>
  )
}

function TestResult({ test }: { test: SecretTest }) {
  const result = resultOf(test)
  return (
    <div role="status">
      <Notice kind={result === "accepted" ? "good" : "bad"} title={t.results[result]}>
        {outcomeOf(test)} <Ago at={test.at} />
      </Notice>
    </div>
  )
}

const resultOf = ({ error }: SecretTest) => (error === null ? "accepted" : "rejected")

function Stage({
  channel: { id },
  toggled,
  done,
}: {
  channel: Channel
  toggled: (isOpen: boolean) => void
  done: (secret: Staged) => void
}) {
  return (
    <Action
      label={t.steps.stage.label}
      variant="filled"
      title={t.stageTitle(id)}
      onToggle={toggled}
      run={(post) => post.stageSecret({ id })}
      then={done}
    >
      {t.stageMore}
    </Action>
  )
}

function Test({
  channel: { id, address },
  test,
  isNow,
  done,
}: {
  channel: Channel
  test: SecretTest | null
  isNow: boolean
  done: () => void
}) {
  return (
    <Action
      label={test === null ? t.steps.test.label : t.testAgain}
      variant={isNow ? "filled" : "default"}
      title={t.testTitle}
      run={(post) => post.testSecret({ id })}
      then={done}
    >
      {t.testMore(address)}
    </Action>
  )
}

function ShowSecret({ channel: { id }, done }: { channel: Channel; done: (secret: Staged) => void }) {
  return (
    <Action
      label={t.show}
      icon="eye"
      title={t.showTitle}
      run={() => api.readStagedSecret({ id })}
      then={done}
    >
      {t.showMore}
    </Action>
  )
}

/** Activates the staged secret, or returns to the retiring one. Warns unless a test has found that the receiver accepts it. */
function UseOther({
  channel: { id, secret_id, other_secret },
  test,
  isNow,
  done,
}: {
  channel: Channel
  test: SecretTest | null
  isNow: boolean
  done: () => void
}) {
  const [force, setForce] = useState(false)
  const other = other_secret?.id ?? ""
  const step = other_secret?.state === "staged" ? t.activate : t.revert
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
            <Notice kind="warn" title={test ? t.results.rejected : t.untested}>
              {t.untestedMore}
            </Notice>
            <Switch
              label={t.force}
              description={t.forceHint}
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
      label={isLast ? t.steps.retire.label : t.abandon}
      variant={isLast ? "filled" : "default"}
      danger
      title={isLast ? t.retireTitle(other) : t.abandonTitle(other)}
      run={(post) => post.retireSecret({ id, secret_id: other })}
      done={t.retired}
      then={done}
    >
      {isLast ? t.retireMore(id) : t.abandonMore}
    </Action>
  )
}
