import type { Schemas } from "../../api/client.ts"
import { formatNumber } from "../../format.ts"
import { Notice } from "../../parts/Notice.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./OldUrls.module.css"

const t = texts.triggerUrl
type Token = Schemas["Connection"]["replaced_tokens"][number]

export const isCalled = ({ calls }: Token) => calls > 0

/** Who calls an old URL gets nothing from its calls, and may not know. */
export function OldUrls({ tokens }: { tokens: readonly Token[] }) {
  const called = tokens.filter(isCalled)
  if (called.length === 0) return null
  return (
    <Notice kind="warn" title={t.stillCalled}>
      {t.stillCalledMore}
      <ul className={classes.tokens}>
        {called.map(({ replaced_at, calls, last_called_at }) => (
          <li key={replaced_at}>
            {t.oldUrl} <Time at={replaced_at} /> {t.calledTimes(formatNumber(calls), calls === 1)}
            {last_called_at && (
              <>
                {" "}
                {t.lastCall} <Ago at={last_called_at} />
              </>
            )}
            .
          </li>
        ))}
      </ul>
    </Notice>
  )
}
