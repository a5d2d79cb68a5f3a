import { Title } from "@mantine/core"
import { type ReactNode, useEffect } from "react"
import classes from "./Page.module.css"

/** The head of a page: its title, what state it is in, and what can be done. */
export function PageHead({
  title,
  above,
  state,
  children,
}: {
  title: string
  above?: ReactNode
  state?: ReactNode
  children?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Sitewire`
  }, [title])
  return (
    <div className={classes.head}>
      <div className={classes.heading}>
        {above && <div className={classes.above}>{above}</div>}
        <div className={classes.title}>
          <Title order={1} dir="auto">
            {title}
          </Title>
          {state}
        </div>
      </div>
      {children && <div className={classes.actions}>{children}</div>}
    </div>
  )
}

/** A part of a page, with a border. */
export function Section({
  title,
  aside,
  children,
  flush = false,
}: {
  title?: string
  aside?: ReactNode
  children: ReactNode
  /** The content reaches the border, as that of tables does. */
  flush?: boolean
}) {
  return (
    <section className={classes.section} aria-label={title}>
      {title && (
        <div className={classes.sectionHead}>
          <Title order={2}>{title}</Title>
          {aside}
        </div>
      )}
      <div className={flush ? classes.flush : classes.sectionBody}>{children}</div>
    </section>
  )
}

export function Columns({ children, wide = false }: { children: ReactNode; wide?: boolean }) {
  return <div className={wide ? classes.wide : classes.columns}>{children}</div>
}

export function Rows({ children }: { children: ReactNode }) {
  return <div className={classes.rows}>{children}</div>
}

/** In place of an empty list: why it is empty, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <strong>{title}</strong>
      {children && <div>{children}</div>}
    </div>
  )
}
