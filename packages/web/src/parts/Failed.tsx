import { Button, Stack, Text, Title } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useEffect } from "react"
import { ApiFailure } from "../api/failure.ts"
import { Notice, ProblemAlert } from "./Notice.tsx"

/** In place of content that could not be read. */
export function Failed({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const status = error instanceof ApiFailure ? error.problem?.status : undefined
  if (status === 404) return <NotFound />
  if (status === 403)
    return (
      <Stack gap="xs" align="start" py="xl" data-inset>
        <Title order={1}>You may not see this</Title>
        <Text c="dimmed">The scopes of your key do not include this page.</Text>
      </Stack>
    )
  return (
    <Stack gap="md" align="start" data-inset>
      <ProblemAlert error={error} title="This could not be read" />
      {retry && (
        <Button variant="default" onClick={() => retry()}>
          Try again
        </Button>
      )}
    </Stack>
  )
}

export function NotFound() {
  return (
    <Stack gap="xs" align="start" py="xl" data-inset>
      <Title order={1}>Not found</Title>
      <Text c="dimmed">It does not exist, or you may not see it.</Text>
      <Link to="/">To the start page</Link>
    </Stack>
  )
}

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
