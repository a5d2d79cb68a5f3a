import { Button, Stack, Text, Title } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { ApiFailure } from "../api/failure.ts"
import { ProblemAlert } from "./ProblemAlert.tsx"

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
