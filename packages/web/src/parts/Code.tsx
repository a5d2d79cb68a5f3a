import classes from "./Code.module.css"
import { Copy } from "./Copy.tsx"
import { Scroll } from "./Scroll.tsx"

/** Text in several lines, which scrolls by keyboard too. */
export function Code({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.code}>
      <Scroll className={classes.scroll}>
        <pre data-wrap={wrap}>{code}</pre>
      </Scroll>
      <div className={classes.copy}>
        <Copy value={code} what={what} />
      </div>
    </div>
  )
}
