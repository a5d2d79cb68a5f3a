import { useStreamState } from "../api/stream.ts"
import { Icon } from "../parts/Icon.tsx"
import { Time } from "../parts/Time.tsx"
import { texts } from "../texts.ts"
import classes from "./Shell.module.css"

export function StreamNotice() {
  const { since } = useStreamState()
  return (
    <div role="status">
      {since !== null && (
        <p className={classes.notice}>
          <Icon name="interrupted" />
          <span>
            {texts.shell.interrupted} <Time at={new Date(since).toISOString()} format="time" />.{" "}
            {texts.shell.interruptedMore}
          </span>
        </p>
      )}
    </div>
  )
}
