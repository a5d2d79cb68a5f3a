import type { Attempt } from "@sitewire/contracts"
import { formatMs } from "../../format.ts"
import classes from "./Attempt.module.css"

const phaseNames = { lookup: "DNS lookup", connect: "Connect", tls: "TLS", first_byte: "First byte" }
const names = Object.keys(phaseNames) as (keyof typeof phaseNames)[]

/** How long the steps of an attempt took, relative to the longest attempt of the delivery. */
export function Phases({ attempt, longest }: { attempt: Attempt; longest: number }) {
  const phases = names.flatMap((name) => {
    const ms = attempt[`${name}_ms`]
    return ms === null ? [] : [{ name, ms }]
  })
  const share = (ms: number) => `${(100 * ms) / longest}%`
  return (
    <>
      <div className={classes.phases}>
        <div className={classes.track} aria-hidden="true">
          {phases.map(({ name, ms }) => (
            <i key={name} className={classes[name]} style={{ width: share(ms) }} />
          ))}
        </div>
        <span>{formatMs(attempt.duration_ms)}</span>
      </div>
      {phases.length > 0 && (
        <ul className={classes.legend}>
          {phases.map(({ name, ms }) => (
            <li key={name}>
              <i className={classes[name]} aria-hidden="true" />
              {phaseNames[name]} {formatMs(ms)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
