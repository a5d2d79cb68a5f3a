import type { ReactNode } from "react"
import classes from "./Filters.module.css"

export function Filters({ children }: { children: ReactNode }) {
  return <search className={classes.filters}>{children}</search>
}
