import { Copy } from "./Copy.tsx"
import classes from "./CopyField.module.css"

/** A value that the reader needs elsewhere, such as a secret or a URL. */
export function CopyField({ label, value, what }: { label: string; value: string; what: string }) {
  return (
    <div>
      <div className={classes.label}>{label}</div>
      <div className={classes.field}>
        <code>{value}</code>
        <Copy value={value} what={what} />
      </div>
    </div>
  )
}
