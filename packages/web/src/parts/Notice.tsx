import type { ReactNode } from "react"
import { ApiFailure } from "../api/failure.ts"
import { Icon } from "./Icon.tsx"
import classes from "./Notice.module.css"

const icons = { good: "check", warn: "warning", bad: "warning", idle: "warning" } as const

/** A box that explains a situation. */
export function Notice({
  kind,
  title,
  children,
  role,
}: {
  kind: keyof typeof icons
  title?: string
  children?: ReactNode
  role?: "alert" | "status"
}) {
  return (
    <div className={classes.notice} data-kind={kind} role={role}>
      <Icon name={icons[kind]} />
      <div>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
    </div>
  )
}

/** What was rejected, and why, as the API states it. */
export function ProblemAlert({ error, title }: { error: unknown; title?: string }) {
  const problem = error instanceof ApiFailure ? error.problem : null
  const detail = error instanceof ApiFailure ? (problem?.detail ?? problem?.title) : String(error)
  const fields = problem?.errors ?? []
  return (
    <Notice kind="bad" role="alert" title={title ?? problem?.title ?? "No response"}>
      {error instanceof ApiFailure && problem === null
        ? "The console does not respond. Check your network, and try again."
        : fields.length === 0 && detail}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={`${field} ${message}`}>{message}</li>
          ))}
        </ul>
      )}
      {problem?.request_id && problem.status >= 500 && !detail?.includes(problem.request_id) && (
        <div>
          Request id: <code>{problem.request_id}</code>
        </div>
      )}
    </Notice>
  )
}
