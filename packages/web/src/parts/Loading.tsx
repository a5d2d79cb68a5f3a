import { Skeleton, Stack } from "@mantine/core"
import { useEffect, useState } from "react"

/** Appears only if loading takes noticeably long, so that a fast page does not flicker. */
export function Loading({ rows = 5 }: { rows?: number }) {
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 250)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack gap="sm" data-inset role="status" aria-label="Loading …">
      {Array.from({ length: visible ? rows : 0 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are all alike
        <Skeleton key={row} height={row === 0 ? 28 : 20} width={row === 0 ? "40%" : "100%"} />
      ))}
    </Stack>
  )
}
