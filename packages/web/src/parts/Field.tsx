import { NumberInput, Switch, TextInput } from "@mantine/core"
import type { Input } from "@sitewire/contracts/views"

type FieldProps<Row> = {
  input: Input<Row>
  value: unknown
  /** Null: an optional field is empty. */
  change: (value: string | number | boolean | null) => void
  /** Says which fields are required, and which are optional. */
  isNew?: boolean
}

/** A field of a form of a view. */
export function Field<Row>({ input, value, change, isNew = false }: FieldProps<Row>) {
  const { label, hint, kind, empty, placeholder = empty, max } = input
  if (kind === "switch")
    return (
      <Switch
        label={label}
        description={hint}
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    )
  const isOptional = empty !== undefined
  const props = {
    label: isNew && isOptional ? `${label} (optional)` : label,
    description: hint,
    placeholder,
    required: isNew && !isOptional,
  }
  if (kind === "number")
    return (
      <NumberInput
        {...props}
        min={1}
        max={max}
        value={typeof value === "number" ? value : ""}
        onChange={(typed) => change(typed === "" ? null : Number(typed))}
      />
    )
  return (
    <TextInput
      {...props}
      type={kind}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => change(event.currentTarget.value.trim() || (isOptional ? null : ""))}
    />
  )
}
