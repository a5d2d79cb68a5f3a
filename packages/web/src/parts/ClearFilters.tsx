import { Button } from "@mantine/core"
import { texts } from "../texts.ts"
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
      {texts.common.clearFilters}
    </Button>
  )
}
