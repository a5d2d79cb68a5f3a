import { NumberInput } from "@mantine/core"

const most = 1_000
export const defaultRate = 50

/** How many deliveries or events per second a job processes. */
export function RateInput({
  rate,
  change,
  label,
  description,
}: {
  rate: number
  change: (rate: number) => void
  label: string
  description?: string
}) {
  return (
    <NumberInput
      label={label}
      description={description}
      min={1}
      max={most}
      value={rate}
      onChange={(value) => change(Math.min(most, Math.max(1, Number(value) || 1)))}
    />
  )
}
