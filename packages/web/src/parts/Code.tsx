import classes from "./Code.module.css"
import { Copy } from "./Copy.tsx"

/** Text in several lines, which scrolls by keyboard too. */
export function Code({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={what} className={classes.scroll}>
        <pre data-wrap={wrap}>{code}</pre>
      </section>
      <div className={classes.copy}>
        <Copy value={code} what={what} />
      </div>
    </div>
  )
}
