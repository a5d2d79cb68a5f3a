import { Button, Stack, Text } from "@mantine/core"
import { useWrite } from "../../api/useWrite.ts"
import { CopyField } from "../../parts/CopyField.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { texts } from "../../texts.ts"

const t = texts.createKey

/** A link that signs in as the new key. Only the key itself may create it, so the request is sent with the key. */
export function SignInLink({ apiKey }: { apiKey: string }) {
  const { mutate, data, error, isPending } = useWrite({
    run: (post) => post.createSignInLink({}, { authorization: `Bearer ${apiKey}` }),
  })
  return (
    <Stack gap="xs">
      <Text size="sm">{t.linkMore}</Text>
      {error && <ProblemAlert error={error} />}
      {data ? (
        <CopyField label={t.linkIs} value={data.url} what={t.linkIs} />
      ) : (
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          {t.link}
        </Button>
      )}
    </Stack>
  )
}
