import type { Attempt } from "@sitewire/contracts"
import { Code } from "../../parts/Code.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Mono } from "../../parts/Ref.tsx"
import classes from "./Attempt.module.css"

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
      <summary>What was sent, and what came back</summary>
      <div>
        <Facts
          facts={[
            attempt.detail !== null && ["Reason", attempt.detail],
            ["URL", attempt.url ? <Mono key="url">{attempt.url}</Mono> : "–"],
            ["IP address", attempt.ip ? <Mono key="ip">{attempt.ip}</Mono> : "–"],
            ["Signed by", <Mono key="secret">{attempt.secret_id}</Mono>],
          ]}
        />
        {headers.length > 0 && (
          <section>
            <h3>Request headers</h3>
            <Code
              what="Request headers"
              code={headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
              wrap
            />
          </section>
        )}
        {attempt.status !== null && (
          <section>
            <h3>Response body</h3>
            {attempt.response_excerpt ? (
              <Code what="Response body" code={attempt.response_excerpt} wrap />
            ) : (
              <span>{isErased ? "It was erased on request." : "The response had no body."}</span>
            )}
          </section>
        )}
      </div>
    </details>
  )
}
