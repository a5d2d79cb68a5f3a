import type { Attempt, DeliveryWithAttempts } from "@sitewire/contracts"
import { attemptErrorTexts } from "@sitewire/contracts/partnerMessage"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Fragment, useState } from "react"
import { listOf } from "../../api/queries.ts"
import { formatSpan } from "../../format.ts"
import { JobRef } from "../../parts/Ref.tsx"
import { More } from "../../parts/Rows.tsx"
import { whyDead } from "../../parts/states.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import classes from "../../parts/Timeline.module.css"
import { deadReasons, deliveryStates, waitingForNames } from "../../words.ts"
import { AttemptDetails } from "./AttemptDetails.tsx"
import { Phases } from "./Phases.tsx"

/** From the event through the attempts to what follows. */
export function Timeline({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { attempt_log, attempt_log_cursor: cursor, created_at, next_attempt_at, state, last_job } = delivery
  const { waiting_for } = delivery
  const [allWanted, wantAll] = useState(false)
  const earlier = useInfiniteQuery({
    ...listOf("listAttempts", { id: delivery.id }, { limit: 20, from: cursor ?? undefined }),
    enabled: allWanted && cursor !== null,
  })
  const hasEarlier = earlier.data ? earlier.hasNextPage : cursor !== null
  const attempts = [...(earlier.data?.pages.flatMap(({ data }) => data) ?? []).toReversed(), ...attempt_log]
  const resend = last_job?.kind === "resend" ? last_job : null
  // The newest resend is shown before the attempts that it caused.
  const untilResend = attempts.filter(({ started_at }) => resend && started_at < resend.requested_at).length
  const longest = Math.max(1, ...attempts.map(({ duration_ms }) => duration_ms))
  return (
    <ol className={classes.timeline}>
      <li data-kind="idle">
        <div className={classes.line}>
          <strong>Event received</strong>
          <Time at={created_at} format="ms" />
        </div>
      </li>
      {hasEarlier && (
        <li data-kind="idle">
          <More
            hasNextPage
            isFetchingNextPage={earlier.isFetching}
            fetchNextPage={() => (earlier.data ? earlier.fetchNextPage() : wantAll(true))}
          />
        </li>
      )}
      {attempts.map((attempt, index) => {
        const before = attempts[index - 1]?.started_at ?? created_at
        return (
          <Fragment key={`${attempt.number} ${attempt.started_at}`}>
            {resend && index === untilResend && <Resend job={resend} />}
            <li data-kind={attempt.error === null ? "good" : "bad"}>
              <div className={classes.line}>
                <strong>{`Attempt ${attempt.number}`}</strong>
                <span className={classes.outcome}>{outcomeOf(attempt)}</span>
                <span className={classes.at}>
                  <Time at={attempt.started_at} format="ms" />
                  {index > 0 && ` · ${formatSpan(Date.parse(attempt.started_at) - Date.parse(before))} later`}
                </span>
              </div>
              <Phases attempt={attempt} longest={longest} />
              <AttemptDetails
                attempt={attempt}
                isErased={state === "erased"}
                open={index === attempts.length - 1 && attempt.error !== null}
              />
            </li>
          </Fragment>
        )
      })}
      {resend && untilResend === attempts.length && <Resend job={resend} />}
      {waiting_for && (
        <li data-kind="next">
          <div className={classes.line}>
            <strong>{`Attempt ${delivery.attempts + 1}`}</strong>
            <span className={classes.at}>
              {next_attempt_at ? (
                <>
                  <Ago at={next_attempt_at} due /> · <Time at={next_attempt_at} />
                </>
              ) : (
                waitingForNames[waiting_for]
              )}
            </span>
          </div>
        </li>
      )}
      {state !== "pending" && state !== "delivered" && (
        <li data-kind={state === "dead" ? "bad" : "idle"}>
          <div className={classes.line}>
            <strong>{deliveryStates[state]}</strong>
            {state === "dead" && (
              <span className={classes.outcome}>{deadReasons[whyDead(delivery)].short}</span>
            )}
            {state === "erased" && last_job?.kind === "erasure" && <By job={last_job} />}
            {delivery.finished_at && <Time at={delivery.finished_at} format="ms" />}
          </div>
        </li>
      )}
    </ol>
  )
}

type LastJob = NonNullable<DeliveryWithAttempts["last_job"]>

function Resend({ job }: { job: LastJob }) {
  return (
    <li data-kind="idle">
      <div className={classes.line}>
        <strong>Resend requested</strong>
        <By job={job} />
        <span className={classes.at}>
          <Time at={job.requested_at} format="ms" />
        </span>
      </div>
    </li>
  )
}

/** By whom, with a link to the job, for those who may open it. */
function By({ job: { id, requested_by: who } }: { job: LastJob }) {
  if (who === null) return null
  return (
    <span>
      {`by ${who}`}, <JobRef id={id} />
    </span>
  )
}

export function outcomeOf({ status, error }: Pick<Attempt, "status" | "error">): string {
  if (status !== null) return `responded ${status}`
  return error === null ? "" : attemptErrorTexts[error]
}
