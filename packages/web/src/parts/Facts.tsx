import { Fragment, type ReactNode } from "react"
import classes from "./Facts.module.css"

/** Names and values, below each other. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | false | null)[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter((fact) => fact !== false && fact !== null)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}

/** A few numbers side by side. */
export function Figures({ figures }: { figures: readonly (readonly [string, ReactNode, ReactNode?])[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value, more]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {more && <dd className={classes.more}>{more}</dd>}
        </div>
      ))}
    </dl>
  )
}
