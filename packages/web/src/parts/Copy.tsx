import { ActionIcon, CopyButton, Tooltip } from "@mantine/core"
import classes from "./Copy.module.css"
import { Icon } from "./Icon.tsx"

/** A button that copies a value. `what` names the value, such as "the trigger URL". */
export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : `Copy: ${what}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? "Copied" : `Copy: ${what}`}
          >
            <Icon name={copied ? "check" : "copy"} size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** A text in one line that is cut if it is too long, with a button that copies all of it. */
export function Copyable({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.copyable}>
      <span className={classes.value} dir="auto" title={value}>
        {value}
      </span>
      <Copy value={value} what={what} />
    </span>
  )
}

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
