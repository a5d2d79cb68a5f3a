import type { Attempt } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { texts } from "../../texts.ts"
import classes from "./Attempt.module.css"

const t = texts.delivery

/** What was sent in an attempt, and what came back. */
export function AttemptDetails({
  attempt,
  isErased,
  open,
}: {
  attempt: Attempt
  isErased: boolean
  open: boolean
}) {
  const headers = Object.entries(attempt.request_headers ?? {})
  return (
    <details className={classes.details} open={open}>
      <summary>{t.details}</summary>
      <div>
        <Facts
          facts={[
            attempt.detail !== null && [t.detail, attempt.detail],
            [t.url, attempt.url ? <Mono key="url">{attempt.url}</Mono> : "–"],
            [t.ip, attempt.ip ? <Mono key="ip">{attempt.ip}</Mono> : "–"],
            [t.secret, <Mono key="secret">{attempt.secret_id}</Mono>],
          ]}
        />
        {headers.length > 0 && (
          <section>
            <h3>{t.requestHeaders}</h3>
            <Code
              what={t.requestHeaders}
              code={headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
              wrap
            />
          </section>
        )}
        {attempt.status !== null && (
          <section>
            <h3>{t.response}</h3>
            {attempt.response_excerpt ? (
              <Code what={t.response} code={attempt.response_excerpt} wrap />
            ) : (
              <span>{isErased ? t.erased : t.emptyResponse}</span>
            )}
          </section>
        )}
      </div>
    </details>
  )
}
