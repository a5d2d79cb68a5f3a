import { Select } from "@mantine/core"

/** A filter with fixed values, by their labels. Undefined: not filtered. */
export function SelectFilter<Value extends string>({
  label,
  values,
  value,
  change,
}: {
  label: string
  values: Readonly<Record<Value, string>>
  value: Value | undefined
  change: (value: Value | undefined) => void
}) {
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      data={Object.entries<string>(values).map(([one, text]) => ({ value: one, label: text }))}
      value={value ?? null}
      onChange={(chosen) => change((chosen ?? undefined) as Value | undefined)}
    />
  )
}
