import { Select } from "@mantine/core"
import type { ReactNode } from "react"
import classes from "./Filters.module.css"

export function Filters({ children }: { children: ReactNode }) {
  return <search className={classes.filters}>{children}</search>
}

/** A filter with fixed values, by their labels. Undefined: not filtered. */
export function SelectFilter<Value extends string>({
  label,
  values,
  value,
  change,
  searchable = false,
}: {
  label: string
  values: Readonly<Record<Value, string>>
  value: Value | undefined
  change: (value: Value | undefined) => void
  searchable?: boolean
}) {
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      searchable={searchable}
      data={Object.entries<string>(values).map(([one, text]) => ({ value: one, label: text }))}
      value={value ?? null}
      onChange={(chosen) => change((chosen ?? undefined) as Value | undefined)}
    />
  )
}
