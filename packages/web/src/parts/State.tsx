import classes from "./State.module.css"

export type Kind = "good" | "warn" | "bad" | "idle" | "busy"

/** A state as a dot and a word, so that colour is not the only sign. */
export function State({ kind, children }: { kind: Kind; children: string }) {
  return (
    <span className={classes.state} data-kind={kind}>
      {children}
    </span>
  )
}
