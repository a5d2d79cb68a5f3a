import { Stack, Text } from "@mantine/core"
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
type Step = "stage" | "activate" | "retire"

const steps: readonly Step[] = ["stage", "activate", "retire"]

function nextStep({ other_secret }: Channel): Step {
  if (other_secret === null) return "stage"
  return other_secret.state === "staged" ? "activate" : "retire"
}

export function Secrets({ channel }: { channel: Channel }) {
  const { managesChannel } = useAccess()
  const [staged, setStaged] = useState<string | null>(null)
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
                    {staged !== null && now === "activate" && <NewSecret secret={staged} />}
                    {t.steps[step].partner && (
                      <Notice kind="idle" title={t.partner}>
                        {t.steps[step].partner}
                      </Notice>
                    )}
                    {managesChannel(channel.id) && (
                      <StepAction step={step} channel={channel} staged={setStaged} staging={setStaging} />
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

function NewSecret({ secret }: { secret: string }) {
  return (
    <div className={classes.secret}>
      <Notice kind="warn" title={t.once}>
        {t.onceMore}
      </Notice>
      <CopyField label={t.newSecret} value={secret} what={t.newSecret} />
    </div>
  )
}

function StepAction({
  step,
  channel: { id, secret_id, other_secret },
  staged,
  staging,
}: {
  step: Step
  channel: Channel
  staged: (secret: string | null) => void
  staging: (isOpen: boolean) => void
}) {
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ["channels", id] })
  const params = { path: { id } }
  const query = { secret_id: other_secret?.id }
  if (step === "stage")
    return (
      <Action
        label={t.steps.stage.label}
        variant="filled"
        title={t.stageTitle(id)}
        onToggle={staging}
        run={(post) => bodyOf(post("/v1/channels/{id}/secret/stage", { params }))}
        then={({ staged_secret }) => {
          staged(staged_secret)
          refresh()
        }}
      >
        {t.stageMore}
      </Action>
    )
  const retire = (
    <Action
      label={step === "retire" ? t.steps.retire.label : t.abandon}
      variant={step === "retire" ? "filled" : "default"}
      danger
      title={
        step === "retire" ? t.retireTitle(other_secret?.id ?? "") : t.abandonTitle(other_secret?.id ?? "")
      }
      run={(post) => bodyOf(post("/v1/channels/{id}/secret/retire", { params: { path: { id }, query } }))}
      done={t.retired}
      then={() => {
        staged(null)
        refresh()
      }}
    >
      {step === "retire" ? t.retireMore(id) : t.abandonMore}
    </Action>
  )
  if (step === "retire") return retire
  return (
    <div className={classes.actions}>
      <Action
        label={t.steps.activate.label}
        variant="filled"
        title={t.activateTitle(other_secret?.id ?? "")}
        run={(post) => bodyOf(post("/v1/channels/{id}/secret/activate", { params: { path: { id }, query } }))}
        done={t.activated}
        then={() => {
          staged(null)
          refresh()
        }}
      >
        {t.activateMore(id, secret_id)}
      </Action>
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
