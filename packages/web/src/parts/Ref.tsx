import { Link } from "@tanstack/react-router"
import classes from "./Ref.module.css"

/** A short id is not broken where another column of a table has long texts. */
const classOf = (id: string) => (id.length <= 12 ? `${classes.ref} ${classes.short}` : classes.ref)

/** A link to a resource, by its id. */
export function ChannelRef({ id }: { id: string }) {
  return (
    <Link to="/channels/$id" params={{ id }} className={classOf(id)}>
      {id}
    </Link>
  )
}

export function ConnectionRef({ id }: { id: string }) {
  return (
    <Link to="/connections/$id" params={{ id }} className={classOf(id)}>
      {id}
    </Link>
  )
}

export function DeliveryRef({ id, children }: { id: string; children?: string }) {
  return (
    <Link to="/deliveries/$id" params={{ id }} className={children ? classes.ref : classes.id}>
      {children ?? id}
    </Link>
  )
}

export function JobRef({ id }: { id: string }) {
  return (
    <Link to="/jobs/$id" params={{ id }} className={classOf(id)}>
      {id}
    </Link>
  )
}

export function Mono({ children }: { children: string }) {
  return <code className={classes.id}>{children}</code>
}
