import { useStreamState } from "../api/stream.ts"
import { Icon } from "../parts/Icon.tsx"
import { Time } from "../parts/Time.tsx"
import classes from "./Shell.module.css"

export function StreamNotice() {
  const { since } = useStreamState()
  return (
    <div role="status">
      {since !== null && (
        <p className={classes.notice}>
          <Icon name="interrupted" />
          <span>
            Live updates are interrupted since <Time at={new Date(since).toISOString()} format="time" />. What
            you see may be out of date. The page tries to connect again by itself.
          </span>
        </p>
      )}
    </div>
  )
}
