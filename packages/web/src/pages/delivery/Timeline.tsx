import type { Schemas } from "../../api/client.ts"
import { formatSpan } from "../../format.ts"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { AttemptDetails } from "./AttemptDetails.tsx"
import { Phases } from "./Phases.tsx"
import classes from "./Timeline.module.css"

const t = texts.delivery

/** From the event through the attempts to what follows. */
export function Timeline({ delivery }: { delivery: Schemas["DeliveryWithAttempts"] }) {
  const { attempt_log: attempts, created_at, next_attempt_at, state, deferred_at, waiting_for } = delivery
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms))
  return (
    <ol className={classes.timeline}>
      <li data-kind="idle">
        <div className={classes.line}>
          <strong>{t.eventReceived}</strong>
          <Time at={created_at} format="full" />
        </div>
      </li>
      {attempts.map((attempt, index) => {
        const before = attempts[index - 1]?.started_at ?? created_at
        return (
          <li
            key={`${attempt.number} ${attempt.started_at}`}
            data-kind={attempt.error === null ? "good" : "bad"}
          >
            <div className={classes.line}>
              <strong>{t.attempt(attempt.number)}</strong>
              <span className={classes.outcome}>{outcomeOf(attempt)}</span>
              <span className={classes.at}>
                <Time at={attempt.started_at} />
                {index > 0 &&
                  ` · ${t.later(formatSpan(Date.parse(attempt.started_at) - Date.parse(before)))}`}
              </span>
            </div>
            <Phases attempt={attempt} longest={longest} />
            <AttemptDetails
              attempt={attempt}
              open={index === attempts.length - 1 && attempt.error !== null}
            />
          </li>
        )
      })}
      {next_attempt_at && (
        <li data-kind="next">
          <div className={classes.line}>
            <strong>{t.attempt(delivery.attempts + 1)}</strong>
            <span className={classes.at}>
              <Ago at={next_attempt_at} due /> · <Time at={next_attempt_at} />
            </span>
          </div>
        </li>
      )}
      {!next_attempt_at && deferred_at && waiting_for && (
        <li data-kind="next">
          <div className={classes.line}>
            <strong>{t.attempt(delivery.attempts + 1)}</strong>
            <span className={classes.at}>{texts.waitingFor[waiting_for]}</span>
          </div>
        </li>
      )}
      {state !== "pending" && state !== "delivered" && (
        <li data-kind={state === "dead" ? "bad" : "idle"}>
          <div className={classes.line}>
            <strong>{texts.states.delivery[state]}</strong>
            {delivery.finished_at && <Time at={delivery.finished_at} />}
          </div>
        </li>
      )}
    </ol>
  )
}

export function outcomeOf({ status, error }: Pick<Schemas["Attempt"], "status" | "error">): string {
  if (status !== null) return t.responded(status)
  return error === null ? "" : texts.errors[error]
}
