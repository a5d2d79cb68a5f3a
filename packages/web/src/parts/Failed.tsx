import { Button, Stack, Text, Title } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { ApiFailure } from "../api/failure.ts"
import { texts } from "../texts.ts"
import { ProblemAlert } from "./ProblemAlert.tsx"

const t = texts.failed

/** In place of content that could not be read. */
export function Failed({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const status = error instanceof ApiFailure ? error.problem?.status : undefined
  if (status === 404) return <NotFound />
  if (status === 403)
    return (
      <Stack gap="xs" align="start" py="xl" data-inset>
        <Title order={1}>{t.forbidden}</Title>
        <Text c="dimmed">{t.forbiddenMore}</Text>
      </Stack>
    )
  return (
    <Stack gap="md" align="start" data-inset>
      <ProblemAlert error={error} title={t.title} />
      {retry && (
        <Button variant="default" onClick={() => retry()}>
          {t.retry}
        </Button>
      )}
    </Stack>
  )
}

export function NotFound() {
  return (
    <Stack gap="xs" align="start" py="xl" data-inset>
      <Title order={1}>{t.notFound}</Title>
      <Text c="dimmed">{t.notFoundMore}</Text>
      <Link to="/">{t.toStart}</Link>
    </Stack>
  )
}
