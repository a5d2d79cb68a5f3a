import { Autocomplete, type AutocompleteProps } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useAccess } from "../api/access.ts"
import { channelSuggestionsQuery } from "../api/queries.ts"

type Props = Pick<AutocompleteProps, "label" | "placeholder" | "required"> & {
  value: string
  change: (value: string) => void
}

/** A text field for a channel's id, which suggests the channels whose id or host contains what was typed. */
export function ChannelInput({ value, change, ...props }: Props) {
  const { reads } = useAccess()
  const [typed] = useDebouncedValue(value.trim(), 200)
  const { data } = useQuery({ ...channelSuggestionsQuery(typed), enabled: reads })
  return (
    <Autocomplete
      {...props}
      data={(data?.data ?? []).map(({ id }) => id)}
      // The API has searched already, also in what is not shown.
      filter={({ options }) => options}
      value={value}
      onChange={change}
      // Inside of the landmark or the dialog that the field is in.
      comboboxProps={{ withinPortal: false }}
    />
  )
}
