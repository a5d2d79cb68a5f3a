import type { ReactNode } from "react"
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
