import classes from "./Code.module.css"
import { Copy } from "./Copy.tsx"
import { Scroll } from "./Scroll.tsx"

/** A character that would change the order of those around it. */
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Text in several lines, which scrolls by keyboard too. */
export function Code({ code, what, wrap = false }: { code: string; what: string; wrap?: boolean }) {
  return (
    <div className={classes.code}>
      <Scroll className={classes.scroll}>
        <pre data-wrap={wrap}>{code.replace(/\p{Bidi_Control}/gu, escaped)}</pre>
      </Scroll>
      <div className={classes.copy}>
        <Copy value={code} what={what} />
      </div>
    </div>
  )
}
