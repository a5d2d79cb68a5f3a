import { Stack, Switch, Text } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { CopyField } from "../../parts/CopyField.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, Section } from "../../parts/Page.tsx"
import { DeliveryRef, Mono } from "../../parts/Ref.tsx"
import { State } from "../../parts/State.tsx"
import { Ago } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Secrets.module.css"

const t = texts.secrets
type Channel = Schemas["Channel"]
type Staged = Pick<Schemas["StagedSecret"], "staged_secret" | "standard_webhooks_secret">
type Step = "stage" | "activate" | "retire"

const steps: readonly Step[] = ["stage", "activate", "retire"]

function nextStep({ other_secret }: Channel): Step {
  if (other_secret === null) return "stage"
  return other_secret.state === "staged" ? "activate" : "retire"
}

export function Secrets({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const [staged, setStaged] = useState<Staged | null>(null)
  // If the response with the new secret is lost, the channel has it already, but the dialog must stay to ask again.
  const [staging, setStaging] = useState(false)
  const now = staging ? "stage" : nextStep(channel)
  return (
    <Columns wide>
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
                  {state === "done" && <State kind="good">{t.done}</State>}
                </div>
                <p>{t.steps[step].what}</p>
                {state === "now" && (
                  <Stack gap="sm" align="start">
                    {staged !== null && now === "activate" && <NewSecret staged={staged} />}
                    {t.steps[step].partner && (
                      <Notice kind="idle" title={t.partner}>
                        {t.steps[step].partner}
                      </Notice>
                    )}
                    {managesChannel(channel.id) && (
                      <StepAction
                        step={step}
                        channel={channel}
                        staged={setStaged}
                        isShown={staged !== null}
                        staging={setStaging}
                      />
                    )}
                  </Stack>
                )}
              </li>
            )
          })}
        </ol>
      </Section>
      <Stack gap="md">
        <Section title={t.current}>
          <Facts
            facts={[
              [t.active, <Mono key="active">{channel.secret_id}</Mono>],
              channel.other_secret !== null && [
                t.others[channel.other_secret.state],
                <Mono key="other">{channel.other_secret.id}</Mono>,
              ],
            ]}
          />
        </Section>
        <LatestSignatures channel={channel} />
      </Stack>
    </Columns>
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

function StepAction({
  step,
  channel: { id, secret_id, other_secret },
  staged,
  isShown,
  staging,
}: {
  step: Step
  channel: Channel
  staged: (secret: Staged | null) => void
  isShown: boolean
  staging: (isOpen: boolean) => void
}) {
  const client = useQueryClient()
  const [force, setForce] = useState(false)
  const refresh = () => void client.invalidateQueries({ queryKey: ["channels", id] })
  const other = other_secret?.id ?? ""
  const path = { id }
  const done = () => {
    staged(null)
    setForce(false)
    refresh()
  }
  if (step === "stage")
    return (
      <Action
        label={t.steps.stage.label}
        variant="filled"
        title={t.stageTitle(id)}
        onToggle={staging}
        run={(post) => bodyOf(post("/v1/channels/{id}/secret/stage", { params: { path } }))}
        then={(secret) => {
          staged(secret)
          refresh()
        }}
      >
        {t.stageMore}
      </Action>
    )
  const isLast = step === "retire"
  const retire = (
    <Action
      label={isLast ? t.steps.retire.label : t.abandon}
      variant={isLast ? "filled" : "default"}
      danger
      title={isLast ? t.retireTitle(other) : t.abandonTitle(other)}
      run={(post) =>
        bodyOf(post("/v1/channels/{id}/secret/retire", { params: { path, query: { secret_id: other } } }))
      }
      done={t.retired}
      then={done}
    >
      {isLast ? t.retireMore(id) : t.abandonMore}
    </Action>
  )
  const query = { secret_id: other, ...(force ? { force: "true" as const } : {}) }
  const forced = (
    <Switch
      mt="md"
      label={t.force}
      description={t.forceHint}
      checked={force}
      onChange={(event) => setForce(event.currentTarget.checked)}
    />
  )
  if (isLast)
    return (
      <div className={classes.actions}>
        {retire}
        <Action
          label={t.revert}
          title={t.revertTitle(other)}
          run={(post) => bodyOf(post("/v1/channels/{id}/secret/revert", { params: { path, query } }))}
          done={t.reverted}
          then={done}
        >
          {t.revertMore(id, secret_id)}
          {forced}
        </Action>
      </div>
    )
  return (
    <div className={classes.actions}>
      <Action
        label={t.steps.activate.label}
        variant="filled"
        title={t.activateTitle(other)}
        run={(post) => bodyOf(post("/v1/channels/{id}/secret/activate", { params: { path, query } }))}
        done={t.activated}
        then={done}
      >
        {t.activateMore(id, secret_id)}
        {forced}
      </Action>
      {isShown || (
        <Action
          label={t.show}
          icon="eye"
          title={t.showTitle}
          run={() => bodyOf(api.GET("/v1/channels/{id}/secret/staged", { params: { path } }))}
          then={staged}
        >
          {t.showMore}
        </Action>
      )}
      {retire}
    </div>
  )
}

const shown = 5

/** Which secret signed the latest attempts, so that the effect of a step is visible. */
function LatestSignatures({ channel }: { channel: Channel }) {
  const { id, secret_id } = channel
  const { data } = useQuery({
    queryKey: ["channels", id, "latest signatures"],
    queryFn: async ({ signal }) => {
      const page = await bodyOf(
        api.GET("/v1/deliveries", { params: { query: { channel: id, limit: shown } }, signal }),
      )
      return Promise.all(
        page.data.map((row) =>
          bodyOf(api.GET("/v1/deliveries/{id}", { params: { path: { id: row.id } }, signal })),
        ),
      )
    },
    refetchInterval: 10_000,
  })
  const attempts = (data ?? [])
    .flatMap(({ id: delivery, event_id, attempt_log }) => {
      const attempt = attempt_log.at(-1)
      return attempt ? [{ delivery, event_id, ...attempt }] : []
    })
    .toSorted((a, b) => b.started_at.localeCompare(a.started_at))
  return (
    <Section title={t.latest}>
      {attempts.length === 0 ? (
        t.noAttempts
      ) : (
        <ul className={classes.latest}>
          {attempts.map(({ delivery, event_id, started_at, secret_id: used }) => (
            <li key={delivery}>
              <DeliveryRef id={delivery}>{event_id}</DeliveryRef>
              <span>
                {used === secret_id ? t.byActive : <Mono>{used}</Mono>} · <Ago at={started_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
