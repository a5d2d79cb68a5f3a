import type { Schemas } from "../../api/client.ts"
import { Code } from "../../parts/Code.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { PointResult } from "../../parts/states.tsx"
import { texts } from "../../texts.ts"
import classes from "./Report.module.css"

const t = texts.certification

export function Report({
  certification: { points, state, error },
}: {
  certification: Schemas["Certification"]
}) {
  return (
    <div aria-live="polite">
      {error !== null && (
        <div className={classes.error}>
          <Notice kind="bad" title={t.couldNotRun}>
            {error}
          </Notice>
        </div>
      )}
      <ul className={classes.points}>
        {points.map((point) => (
          <li key={point.id}>
            <PointResult result={point.result} />
            <div className={classes.point}>
              <strong>{point.title}</strong>
              <span>{point.finding}</span>
              {point.fix !== null && (
                <dl>
                  <dt>{t.sent}</dt>
                  <dd>{point.sent}</dd>
                  <dt>{t.why}</dt>
                  <dd>{point.why}</dd>
                  <dt>{t.fix}</dt>
                  <dd>{point.fix}</dd>
                </dl>
              )}
              {point.snippet && <Code what={t.code} code={point.snippet.code} />}
            </div>
          </li>
        ))}
      </ul>
      {(state === "waiting" || state === "running") && (
        <p className={classes.running} role="status">
          {t.running}
        </p>
      )}
    </div>
  )
}
