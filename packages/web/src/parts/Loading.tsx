import { Skeleton, Stack } from "@mantine/core"
import { type ReactNode, useEffect, useState } from "react"
import { Failed } from "./Failed.tsx"

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

/** What a query has read, or why it cannot be shown. */
export function Loaded<Data>({
  of: { data, error, refetch },
  children,
}: {
  of: { data: Data | undefined; error: unknown; refetch: () => unknown }
  children: (data: Data) => ReactNode
}) {
  if (error) return <Failed error={error} retry={refetch} />
  return data === undefined ? <Loading /> : children(data)
}
