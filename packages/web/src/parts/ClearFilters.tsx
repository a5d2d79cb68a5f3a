import { Button } from "@mantine/core"
import { Icon } from "./Icon.tsx"

export function ClearFilters({ clear }: { clear: () => void }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      c="dimmed"
      leftSection={<Icon name="cross" size={14} />}
      onClick={clear}
    >
      Clear filters
    </Button>
  )
}
