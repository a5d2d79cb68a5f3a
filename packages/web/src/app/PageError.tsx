import { Button, Stack } from "@mantine/core"
import { useEffect } from "react"
import { Failed } from "../parts/Failed.tsx"
import { Notice } from "../parts/Notice.tsx"

/** What Chromium, Firefox and Safari report if a file could not be loaded: of an earlier version, or without a connection. */
const missingFile = /dynamically imported module|Importing a module script failed|Unable to preload CSS/i
const reloadedAt = "sitewire reloaded at"
const againAfterMs = 60_000

/** In place of a page that could not be shown. If a part of it is missing, it is loaded again, once a minute at most. */
export function PageError({ error }: { error: unknown }) {
  const isMissing = error instanceof Error && missingFile.test(error.message)
  useEffect(() => {
    if (!isMissing || Date.now() - Number(sessionStorage.getItem(reloadedAt)) < againAfterMs) return
    sessionStorage.setItem(reloadedAt, String(Date.now()))
    window.location.reload()
  }, [isMissing])
  if (!isMissing) return <Failed error={error} />
  return (
    <Stack gap="md" align="start" data-inset>
      <Notice kind="warn" role="alert" title="A part of the page could not be loaded">
        The connection was interrupted, or the console was upgraded while the page was open.
      </Notice>
      <Button onClick={() => window.location.reload()}>Load the page again</Button>
    </Stack>
  )
}
